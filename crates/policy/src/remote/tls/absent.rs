//! A build without encrypted connections; addresses that want one are refused when they are read.

use std::{
    io::{self, Read, Write},
    path::Path,
    time::Duration,
};

use super::super::{fault::Fault, stream::Timed};

/// Whose certificates are believed: nobody's.
#[derive(Debug)]
pub enum Trust {}

impl Trust {
    /// There are no encrypted connections.
    pub fn load(_: Option<&Path>) -> Result<Self, String> {
        Err("this build has no encrypted connections".to_owned())
    }
}

/// There is none.
#[derive(Debug)]
pub(in super::super) enum Encrypted {}

impl Encrypted {
    pub(in super::super) fn open(
        trust: &Trust,
        _: &str,
        _: Timed,
        _: Duration,
    ) -> Result<Self, Fault> {
        match *trust {}
    }

    pub(in super::super) fn timed(&mut self) -> &mut Timed {
        match *self {}
    }
}

impl Read for Encrypted {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Write for Encrypted {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}

pub(in super::super) fn refusal(_: &io::Error) -> Option<Fault> {
    None
}
