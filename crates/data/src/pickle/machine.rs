//! The stack machine of a pickle, as far as one array needs it.

use std::rc::Rc;

use super::value::{Known, Value};
use super::{PickleError, StoredArray};

/// Most values on the stack, and most values kept for later.
const MOST_VALUES: usize = 256;

/// Run a pickle to its end and return the array it builds.
pub(super) fn run(bytes: &[u8]) -> Result<StoredArray, PickleError> {
    let mut machine = Machine { bytes, at: 0, stack: Vec::new(), marks: Vec::new(), memo: vec![] };
    while !machine.step()? {}
    match (machine.stack.pop(), machine.stack.is_empty()) {
        (Some(Value::Array(array)), true) => Ok(Rc::unwrap_or_clone(array)),
        _ => Err(PickleError::Kind { what: "something other than one array".into() }),
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: Vec<Option<Value>>,
}

impl<'a> Machine<'a> {
    fn damaged(&self, what: &'static str) -> PickleError {
        PickleError::Damaged { at: self.at, what }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], PickleError> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| self.damaged("it ends in the middle"))?;
        let out = &self.bytes[self.at..end];
        self.at = end;
        Ok(out)
    }

    /// A number of `n` bytes, the lowest first.
    fn number(&mut self, n: usize) -> Result<u64, PickleError> {
        Ok(self.take(n)?.iter().rev().fold(0, |sum, b| (sum << 8) | u64::from(*b)))
    }

    /// Bytes after their length in `n` bytes.
    fn counted(&mut self, n: usize) -> Result<&'a [u8], PickleError> {
        let length = self.number(n)?;
        let length = usize::try_from(length).map_err(|_| self.damaged("a length beyond memory"))?;
        self.take(length)
    }

    fn text(&self, bytes: &'a [u8]) -> Result<&'a str, PickleError> {
        std::str::from_utf8(bytes).map_err(|_| self.damaged("text that is not UTF-8"))
    }

    fn line(&mut self) -> Result<&'a str, PickleError> {
        let end = self.bytes[self.at..].iter().position(|b| *b == b'\n');
        let line = self.take(end.ok_or_else(|| self.damaged("it ends in the middle"))?)?;
        self.at += 1;
        self.text(line)
    }

    fn push(&mut self, value: Value) -> Result<(), PickleError> {
        if self.stack.len() == MOST_VALUES {
            return Err(self.damaged("more values than an array needs"));
        }
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, PickleError> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.len() > floor {
            true => self.stack.pop().ok_or_else(|| self.damaged("nothing to take")),
            false => Err(self.damaged("nothing to take")),
        }
    }

    fn tuple(&mut self, n: usize) -> Result<(), PickleError> {
        let mut values: Vec<Value> = (0..n).map(|_| self.pop()).collect::<Result<_, _>>()?;
        values.reverse();
        self.push(Value::Tuple(values.into()))
    }

    fn keep(&mut self, slot: u64) -> Result<(), PickleError> {
        let slot = usize::try_from(slot).ok().filter(|s| *s < MOST_VALUES);
        let slot = slot.ok_or_else(|| self.damaged("more values kept than an array needs"))?;
        let value = self.stack.last().cloned().ok_or_else(|| self.damaged("nothing to keep"))?;
        if self.memo.len() <= slot {
            self.memo.resize(slot + 1, None);
        }
        self.memo[slot] = Some(value);
        Ok(())
    }

    fn recall(&mut self, slot: u64) -> Result<(), PickleError> {
        let kept = usize::try_from(slot).ok().and_then(|s| self.memo.get(s).cloned().flatten());
        let value = kept.ok_or_else(|| self.damaged("a value that was not kept"))?;
        self.push(value)
    }

    /// Follow one instruction; true at the last.
    fn step(&mut self) -> Result<bool, PickleError> {
        let at = self.at;
        let code = self.take(1)?[0];
        match code {
            b'.' => return Ok(true),
            0x80 => {
                if self.number(1)? > 5 {
                    return Err(self.damaged("a version of the format that is not known"));
                }
            }
            // A frame only says how many bytes to read at once.
            0x95 => drop(self.number(8)?),
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push(Value::Known(Known::find(module, name)?))?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Value::Text(module), Value::Text(name)) = (module, name) else {
                    return Err(self.damaged("a function without a name"));
                };
                self.push(Value::Known(Known::find(&module, &name)?))?;
            }
            b'q' => {
                let slot = self.number(1)?;
                self.keep(slot)?;
            }
            b'r' => {
                let slot = self.number(4)?;
                self.keep(slot)?;
            }
            0x94 => self.keep(self.memo.len() as u64)?,
            b'h' => {
                let slot = self.number(1)?;
                self.recall(slot)?;
            }
            b'j' => {
                let slot = self.number(4)?;
                self.recall(slot)?;
            }
            b'N' => self.push(Value::None)?,
            0x88 => self.push(Value::Bool(true))?,
            0x89 => self.push(Value::Bool(false))?,
            b'J' => {
                let number = self.number(4)? as u32 as i32;
                self.push(Value::Int(i64::from(number)))?;
            }
            b'K' => {
                let number = self.number(1)?;
                self.push(Value::Int(number as i64))?;
            }
            b'M' => {
                let number = self.number(2)?;
                self.push(Value::Int(number as i64))?;
            }
            b'X' | 0x8c => {
                let text = self.counted(if code == b'X' { 4 } else { 1 })?;
                let text = self.text(text)?;
                self.push(Value::Text(text.into()))?;
            }
            b'B' | b'C' => {
                let bytes = self.counted(if code == b'B' { 4 } else { 1 })?;
                self.push(Value::Bytes(bytes.into()))?;
            }
            b')' => self.tuple(0)?,
            0x85..=0x87 => self.tuple(usize::from(code - 0x84))?,
            b'(' => {
                if self.marks.len() == MOST_VALUES {
                    return Err(self.damaged("more marks than an array needs"));
                }
                self.marks.push(self.stack.len());
            }
            b't' => {
                let mark = self.marks.last().copied();
                let mark = mark.ok_or_else(|| self.damaged("a tuple without a beginning"))?;
                let n = self.stack.len() - mark;
                // The tuple lies where its mark was.
                let values: Vec<Value> = self.stack.split_off(self.stack.len() - n);
                self.marks.pop();
                self.push(Value::Tuple(values.into()))?;
            }
            b'R' => {
                let (args, function) = (self.pop()?, self.pop()?);
                self.push(Value::call(&function, &args, at)?)?;
            }
            b'b' => {
                let (state, object) = (self.pop()?, self.pop()?);
                self.push(object.with_state(&state, at)?)?;
            }
            code => return Err(PickleError::Instruction { code, at }),
        }
        Ok(false)
    }
}
