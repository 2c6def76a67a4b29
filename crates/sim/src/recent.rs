//! What was used last is kept: compiling a scene takes as long as many steps.

/// A few values that are costly to make, the most recently used first.
#[derive(Debug)]
pub struct Recent<T> {
    items: Vec<T>,
    most: usize,
}

impl<T> Recent<T> {
    /// Keep at most this many, and at least one.
    pub fn new(most: usize) -> Self {
        Self { items: Vec::new(), most: most.max(1) }
    }

    /// Return the value that fits, or make one; it is the first from now on. What was not used for
    /// longest goes where there is no room. When making fails nothing changes.
    pub fn get<E>(
        &mut self,
        fits: impl FnMut(&T) -> bool,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&mut T, E> {
        match self.items.iter().position(fits) {
            Some(i) => self.items[..=i].rotate_right(1),
            None => {
                let made = make()?;
                self.items.truncate(self.most - 1);
                self.items.insert(0, made);
            }
        }
        Ok(&mut self.items[0])
    }

    /// The one used last.
    pub fn first(&self) -> Option<&T> {
        self.items.first()
    }

    /// The one used last, to change.
    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.items.first_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes() {
        let mut kept = Recent::new(2);
        let mut made = Vec::new();
        for n in [1, 2, 1, 3, 1, 2] {
            let got = kept.get(
                |k| *k == n,
                || {
                    made.push(n);
                    Ok::<_, ()>(n)
                },
            );
            assert_eq!(got, Ok(&mut n.clone()));
        }
        assert_eq!(made, [1, 2, 3, 2]);
        assert_eq!(kept.get(|k| *k == 9, || Err("no")), Err("no"));
        assert_eq!(kept.first(), Some(&2));
    }
}
