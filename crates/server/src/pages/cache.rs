//! Pages that anyone may see, kept until a board changes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;

/// Pages that are kept at once.
const KEPT: usize = 200;

/// Finished pages by what was asked, all of one version of the boards.
#[derive(Default)]
pub(crate) struct PageCache(Mutex<(u64, BTreeMap<String, Bytes>)>);

impl PageCache {
    /// Return a page, made now if it was not made since boards changed last.
    pub(crate) fn get<E>(
        &self,
        version: u64,
        asked: &str,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<Bytes, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = lock();
            if kept.0 != version {
                *kept = (version, BTreeMap::new());
            }
            if let Some(page) = kept.1.get(asked) {
                return Ok(page.clone());
            }
        }
        let page = Bytes::from(make()?);
        let mut kept = lock();
        if kept.0 == version {
            // Whoever asks for what nobody else does pushes nothing out for long.
            if kept.1.len() >= KEPT {
                kept.1.clear();
            }
            kept.1.insert(asked.to_owned(), page.clone());
        }
        Ok(page)
    }
}
