//! From an uploaded archive to the files of a run directory, whatever the archive holds.
//!
//! Only the files that a replay needs are written, under names that are checked piece by piece; all else is
//! read past. So links, devices, absolute and climbing paths have nowhere to go.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use longarm_results::{EPISODES, RUN, TRACES};
use tar::{Archive, EntryType};

/// How much an archive may hold once it is unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all of it, those that are read past among them.
    pub bytes: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Files, folders and everything else.
    pub entries: u64,
}

/// A stream that ends with an error rather than go beyond a number of bytes.
struct Capped<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(into)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other("it unpacks to more bytes than this server takes"))?;
        Ok(n)
    }
}

/// Unpack a tar archive, gzipped or not, into a folder that must not exist.
pub fn unpack(archive: &Path, into: &Path, limits: Limits) -> Result<(), String> {
    let said = |e: io::Error| format!("the archive cannot be read: {e}");
    let mut file = File::open(archive).map_err(said)?;
    let mut magic = [0; 2];
    let gzipped = file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
    file.rewind().map_err(said)?;
    let file = BufReader::new(file);
    let stream: Box<dyn Read> = match gzipped {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    std::fs::create_dir_all(into).map_err(said)?;
    let mut archive = Archive::new(Capped { inner: stream, left: limits.bytes });
    let mut count = 0;
    // A folder that everything lies in, as `tar` of a folder has it.
    let mut top: Option<String> = None;
    for entry in archive.entries().map_err(said)? {
        let mut entry = entry.map_err(said)?;
        count += 1;
        if count > limits.entries {
            return Err(format!("the archive has more than {} entries", limits.entries));
        }
        let name = entry.path_bytes().into_owned();
        let name =
            String::from_utf8(name).map_err(|_| "a name in the archive is not text".to_owned())?;
        let parts = plain(&name)?;
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            other => {
                return Err(format!("{name:?} is neither a file nor a folder ({other:?})"));
            }
        }
        let Some((inside, place)) = place(&parts) else { continue };
        if *top.get_or_insert_with(|| inside.to_owned()) != inside {
            return Err(format!("the archive holds several runs: {name:?} lies in another folder"));
        }
        if entry.size() > limits.file {
            return Err(format!(
                "{name:?} has {} bytes; a file may have {}",
                entry.size(),
                limits.file
            ));
        }
        write(&mut entry, &into.join(place), &name)?;
    }
    for needed in [RUN, EPISODES] {
        if !into.join(needed).is_file() {
            return Err(format!(
                "the archive holds no {needed}; pack a run directory of longarm eval"
            ));
        }
    }
    Ok(())
}

fn write(entry: &mut impl Read, path: &Path, name: &str) -> Result<(), String> {
    let said = |e: io::Error| format!("{name:?} cannot be unpacked: {e}");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(said)?;
    }
    let mut file =
        File::options().write(true).create_new(true).open(path).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => format!("{name:?} is in the archive twice"),
            _ => said(e),
        })?;
    io::copy(entry, &mut file).map_err(said)?;
    file.flush().map_err(said)
}

/// The parts of a path that stays inside; `.` is dropped.
fn plain(name: &str) -> Result<Vec<&str>, String> {
    let wrong =
        name.starts_with('/') || name.contains(['\\', '\0']) || name.split('/').any(|p| p == "..");
    if wrong || name.len() > 512 {
        return Err(format!("{name:?} is not a path inside the archive"));
    }
    Ok(name.split('/').filter(|p| !p.is_empty() && *p != ".").collect())
}

/// The folder that the run lies in, and where a file that is needed belongs; `None` for all others.
fn place<'a>(parts: &[&'a str]) -> Option<(&'a str, PathBuf)> {
    for (top, rest) in [("", parts), (*parts.first()?, &parts[1..])] {
        match rest {
            [file] if [RUN, EPISODES].contains(file) => return Some((top, PathBuf::from(file))),
            [traces, suite, task, file] if *traces == TRACES && file.ends_with(".trace") => {
                return Some((top, [*traces, *suite, *task, *file].iter().collect()));
            }
            _ => {}
        }
    }
    None
}
