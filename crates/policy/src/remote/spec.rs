//! Where a remote policy is and how it is spoken to, from one line of text.

mod changes;
mod names;

pub use changes::ActionChanges;
pub use names::{DialectName, PresetName};

use std::{
    fmt,
    path::PathBuf,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use longarm_types::{Flip, FormatPictures, nearest};

use super::{
    address::{Address, address, check_header},
    chunk::LONGEST,
    conventions::{ActionForm, ActionFrame, ActionUnits, GripperSense, RotationFormat},
    layout::{Execute, Layout},
};

/// Why a line does not describe a remote policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(pub String);

/// Where a remote policy is and how it is spoken to.
///
/// Parsed from `DIALECT:HOST[:PORT][,HOST[:PORT]…][?OPTION=VALUE[&…]]`, for instance
/// `openpi:gpu1:8000,gpu2:8000?preset=libero&execute=8&timeout=30`. The port is 8000 when none is
/// given. A server may also be `ws://HOST[:PORT][/PATH]` or, encrypted and by default on port 443,
/// `wss://HOST[:PORT][/PATH]`; on its own, that is openpi's dialect.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `preset` | `longarm`, `libero`, `droid`, `aloha` | `longarm`; `droid` for RoboArena |
/// | `execute` | actions of a chunk to execute before asking again, or `all` | the preset's |
/// | `timeout` | seconds an answer may take | 60 |
/// | `first-timeout` | the same until the server has answered once, for it may still be compiling | `timeout` if given, else 600 |
/// | `retries` | further attempts to connect at the start, 0.25 s apart, then 0.5, 1, 2, at most 4 s | 5 |
/// | `reconnect` | seconds for which a server that was lost is tried again before the run stops | 120 |
/// | `max-mb` | largest message taken from the server | 64 |
/// | `size` | pictures resized with padding to `224`, `240x320` (rows x columns) or `native` | the preset's |
/// | `flip` | `none`, `horizontal`, `vertical`, `both` | the preset's |
/// | `camera.KEY` | camera sent under KEY; `none` sends black | by name |
/// | `action`, `frame`, `rotation`, `gripper`, `units` | what the server's actions are | the preset's |
/// | `api-key-file` | file with the key for `Authorization: Api-Key …` | no header |
/// | `ca` | PEM file with the certificates to trust for `wss://` | the system's |
/// | `header.NAME` | value of a further header of the connection | none |
/// | `header-file.NAME` | file with the value, for what must not be seen: `Bearer …` | none |
///
/// Clones share one counter: every [`super::Remote`] made from them takes the next address in turn,
/// so that workers spread over the servers.
#[derive(Clone, Debug)]
pub struct RemoteSpec {
    /// Protocol.
    pub dialect: DialectName,
    /// Servers.
    pub addresses: Vec<Address>,
    /// Key map and picture treatment.
    pub preset: PresetName,
    /// Actions of a chunk to execute.
    pub execute: Option<Execute>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long the first answer may take.
    pub first_timeout: Duration,
    /// Further attempts to connect at the start.
    pub retries: u32,
    /// For how long a server that was lost is tried again.
    pub reconnect: Duration,
    /// Largest message taken, in bytes.
    pub max_message: usize,
    /// Rows and columns of pictures; inner `None` is native.
    pub size: Option<Option<[usize; 2]>>,
    /// How pictures are turned.
    pub flip: Option<Flip>,
    /// Cameras by key.
    pub cameras: Vec<(String, Option<String>)>,
    /// What the server's actions are.
    pub action: ActionChanges,
    /// Where the API key is.
    pub api_key_file: Option<PathBuf>,
    /// Where the certificates are that encrypted connections trust; `None` for the system's.
    pub ca: Option<PathBuf>,
    /// Further headers of the connection.
    pub headers: Vec<(String, String)>,
    /// Further headers whose values are in files.
    pub header_files: Vec<(String, PathBuf)>,
    text: String,
    turn: Arc<AtomicUsize>,
}

const OPTIONS: [&str; 19] = [
    "preset",
    "execute",
    "timeout",
    "first-timeout",
    "retries",
    "reconnect",
    "max-mb",
    "size",
    "flip",
    "action",
    "frame",
    "rotation",
    "gripper",
    "units",
    "api-key-file",
    "ca",
    "camera.KEY",
    "header.NAME",
    "header-file.NAME",
];

fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> SpecError {
    let hint = match nearest(name, known.clone()).first() {
        Some(n) => format!("did you mean {n}?"),
        None => format!("there are {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    };
    SpecError(format!("no {what} {name:?}; {hint}"))
}

fn number<T: FromStr>(option: &str, value: &str, want: &str) -> Result<T, SpecError> {
    value.parse().map_err(|_| SpecError(format!("{option}={value}: {option} takes {want}")))
}

fn seconds(option: &str, value: &str) -> Result<Duration, SpecError> {
    let s: f64 = number(option, value, "seconds")?;
    // A week is longer than anything; Duration would panic on what is far beyond.
    if s > 0.0 && s <= 604_800.0 {
        Ok(Duration::from_secs_f64(s))
    } else {
        Err(SpecError(format!("{option}={value}: {option} takes seconds, from above 0 to a week")))
    }
}

impl RemoteSpec {
    /// The address whose turn it is.
    pub(super) fn next_address(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % self.addresses.len()
    }

    /// Whether a server is asked over TLS.
    pub(super) fn encrypted(&self) -> bool {
        self.addresses.iter().any(|a| a.tls)
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), SpecError> {
        macro_rules! one_of {
            ($kind:ty) => {
                Some(
                    <$kind>::parse(value)
                        .ok_or_else(|| unknown(name, value, <$kind>::NAMES.iter().copied()))?,
                )
            };
        }
        if let Some(key) = name.strip_prefix("camera.") {
            let camera = (value != "none").then(|| value.to_owned());
            self.cameras.push((key.to_owned(), camera));
            return Ok(());
        }
        if let Some(header) = name.strip_prefix("header.") {
            check_header(header)?;
            if header.eq_ignore_ascii_case("authorization") {
                return Err(SpecError(
                    "a secret in an address is written wherever the address is; \
                     header-file.Authorization takes it from a file"
                        .into(),
                ));
            }
            if !value.chars().all(|c| (' '..='~').contains(&c)) {
                return Err(SpecError(format!("{name}: a header's value is printable ASCII")));
            }
            self.headers.push((header.to_owned(), value.to_owned()));
            return Ok(());
        }
        if let Some(header) = name.strip_prefix("header-file.") {
            check_header(header)?;
            self.header_files.push((header.to_owned(), value.into()));
            return Ok(());
        }
        match name {
            "preset" => {
                self.preset = PresetName::parse(value)
                    .filter(|_| self.dialect.presets().contains(&value))
                    .ok_or_else(|| {
                        let what = format!("preset of {}", self.dialect.name());
                        unknown(&what, value, self.dialect.presets().iter().copied())
                    })?;
            }
            "execute" if value == "all" => self.execute = Some(Execute::All),
            "execute" => match number(name, value, "a number of actions or all")? {
                k @ 1..=LONGEST => self.execute = Some(Execute::Exactly(k)),
                _ => {
                    return Err(SpecError(format!(
                        "execute={value}: execute takes 1 to {LONGEST}"
                    )));
                }
            },
            "timeout" => self.timeout = seconds(name, value)?,
            "first-timeout" => self.first_timeout = seconds(name, value)?,
            "retries" => {
                self.retries = number(name, value, "a number up to 100")?;
                if self.retries > 100 {
                    return Err(SpecError(format!("retries={value}: retries takes up to 100")));
                }
            }
            "reconnect" if value == "0" => self.reconnect = Duration::ZERO,
            "reconnect" => self.reconnect = seconds(name, value)?,
            "max-mb" => match number(name, value, "megabytes, 1 to 4096")? {
                mb @ 1..=4096usize => self.max_message = mb << 20,
                _ => return Err(SpecError(format!("max-mb={value}: max-mb takes 1 to 4096"))),
            },
            "size" if value == "native" => self.size = Some(None),
            "size" => {
                let (rows, columns) = value.split_once('x').unwrap_or((value, value));
                let want = "224, 240x320 (rows x columns) or native";
                let size = [number(name, rows, want)?, number(name, columns, want)?];
                if size.iter().any(|n| !(1..=4096usize).contains(n)) {
                    return Err(SpecError(format!("size={value}: sides are 1 to 4096 pixels")));
                }
                self.size = Some(Some(size));
            }
            "flip" => {
                self.flip = Some(match value {
                    "none" => Flip::None,
                    "horizontal" => Flip::Horizontal,
                    "vertical" => Flip::Vertical,
                    "both" => Flip::Both,
                    _ => {
                        return Err(unknown(
                            name,
                            value,
                            ["none", "horizontal", "vertical", "both"],
                        ));
                    }
                });
            }
            "action" => self.action.form = one_of!(ActionForm),
            "frame" => self.action.frame = one_of!(ActionFrame),
            "rotation" => self.action.rotation = one_of!(RotationFormat),
            "gripper" => self.action.gripper = one_of!(GripperSense),
            "units" => self.action.units = one_of!(ActionUnits),
            "api-key-file" => self.api_key_file = Some(value.into()),
            "ca" => self.ca = Some(value.into()),
            _ => return Err(unknown("option", name, OPTIONS)),
        }
        Ok(())
    }

    /// A camera chosen for a key that is never sent would be silently ignored.
    fn check_cameras(&self) -> Result<(), SpecError> {
        if self.dialect == DialectName::RoboArena {
            return Ok(()); // Which keys there are, only the server knows.
        }
        match Layout::of(self).format.pictures {
            FormatPictures::Keyed(keys) => {
                let known: Vec<_> = keys.iter().map(|(k, _)| k.as_str()).collect();
                match self.cameras.iter().find(|(k, _)| !known.contains(&k.as_str())) {
                    Some((key, _)) => Err(unknown("picture key", key, known)),
                    None => Ok(()),
                }
            }
            _ if self.cameras.is_empty() => Ok(()),
            _ => Err(SpecError(
                "camera.KEY has no effect here: every camera is sent under its own name".into(),
            )),
        }
    }
}

impl FromStr for RemoteSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (head, options) = text.split_once('?').unwrap_or((text, ""));
        let url = ["ws://", "wss://"].iter().any(|s| head.starts_with(s));
        let named = if url { Some(("openpi", head)) } else { head.split_once(':') };
        let (dialect, addresses) = named.ok_or_else(|| {
            SpecError(format!("{text:?} is not DIALECT:HOST:PORT, such as openpi:localhost:8000"))
        })?;
        let dialect = DialectName::parse(dialect)
            .ok_or_else(|| unknown("dialect", dialect, DialectName::NAMES))?;
        let mut spec = Self {
            dialect,
            addresses: addresses.split(',').map(address).collect::<Result<_, _>>()?,
            preset: match dialect {
                DialectName::RoboArena => PresetName::Droid,
                _ => PresetName::Longarm,
            },
            execute: None,
            timeout: Duration::from_secs(60),
            first_timeout: Duration::from_secs(600),
            retries: 5,
            reconnect: Duration::from_secs(120),
            max_message: 64 << 20,
            size: None,
            flip: None,
            cameras: Vec::new(),
            action: ActionChanges::default(),
            api_key_file: None,
            ca: None,
            headers: Vec::new(),
            header_files: Vec::new(),
            text: text.to_owned(),
            turn: Arc::default(),
        };
        let mut seen = Vec::new();
        for pair in options.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| SpecError(format!("{pair:?} is not OPTION=VALUE")))?;
            if seen.contains(&name) {
                return Err(SpecError(format!("{name} is given twice")));
            }
            seen.push(name);
            spec.option(name, value)?;
        }
        if seen.contains(&"timeout") && !seen.contains(&"first-timeout") {
            spec.first_timeout = spec.timeout;
        }
        if spec.ca.is_some() && !spec.encrypted() {
            return Err(SpecError("ca concerns encrypted connections: wss://HOST:PORT".into()));
        }
        spec.check_cameras()?;
        Ok(spec)
    }
}

impl fmt::Display for RemoteSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
