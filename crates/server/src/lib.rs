//! The leaderboard: one process that takes submissions, replays them, and shows what can be trusted.
//!
//! [`Server::open`] reads a data folder, [`Server::run`] serves until it is told to stop. What lasts is in a
//! [`store::Store`]; workers ([`judge`]) play what was submitted and nothing that was claimed is believed;
//! the API (`http`) and the pages (`pages`) show what the store holds.
//!
//! | in the data folder | |
//! |---|---|
//! | `longarm.db` | the database, unless `postgres` says that the tables are in PostgreSQL |
//! | `signing.key` | who has it is this server |
//! | `seeds.key` | who has it knows the seeds on which policies are asked |
//! | `uploads/ID.part` | what has arrived of an upload |
//! | `console/runs/ID` | run directories of the operator console, each with its log |
//! | `runs/ID` | a submitted run, unpacked, or a submitted model and the traces of its episodes |
//! | `films/ROW` | films and filmstrips of some episodes of a row, which can be made again |
//! | `boards.toml` | boards of the lab's own, if there are any |

mod app;
mod backup;
pub mod board;
pub mod client;
mod clock;
mod console;
mod films;
mod hosted;
mod http;
pub mod judge;
mod keeping;
mod kinds;
pub mod model;
mod pack;
mod pages;
mod ranges;
mod ranking;
pub mod receipt;
mod secret;
pub mod store;
#[cfg(feature = "tls")]
mod tls;
mod tunnel;
mod unpack;
mod views;
pub mod work;
mod worker;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use backup::{backup, restore};
pub use clock::Moment;
pub use console::ConsoleSettings;
pub use keeping::PostgresAddress;
pub use pack::pack;
pub use ranges::Range;
pub use secret::{Keys, SIGNING_KEY, TOKEN_PREFIX};
#[cfg(feature = "tls")]
pub use tls::Certificate;
pub use unpack::{Limits, unpack};

use app::App;
use board::Boards;
use secret::Token;
use store::{Hands, StoreError};

/// The database in the data folder.
pub const DATABASE: &str = "longarm.db";

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A file.
    #[error("{}: {why}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The operator console.
    #[error("{why}")]
    Console {
        /// Why.
        why: String,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// Nobody can be listened to.
    #[error("cannot listen on {listen}: {why}")]
    Listen {
        /// Where.
        listen: String,
        /// Why.
        why: String,
    },
    /// Another process serves this data.
    #[error("{}: another process serves this folder", .0.display())]
    Busy(PathBuf),
}

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where everything lies.
    pub data: PathBuf,
    /// Where it listens: `HOST:PORT`; port 0 takes a free one.
    pub listen: String,
    /// Threads that replay; without any, one thread still checks what workers elsewhere say.
    pub workers: usize,
    /// Whether every submission waits for a judge.
    pub review: bool,
    /// Submissions of an account within a day.
    pub per_day: u64,
    /// Bytes of an upload.
    pub upload: u64,
    /// What an upload may unpack to.
    pub unpacked: Limits,
    /// Seconds after which episodes that a worker elsewhere took are given to another.
    pub lease: i64,
    /// What an uploaded model may use.
    pub model: longarm_onnx::Limits,
    /// Bytes of films that are kept; none are made where it is 0.
    pub films: u64,
    /// Addresses inside at which policies may be asked; those of the public internet always may.
    pub allowed: Vec<Range>,
    /// The PostgreSQL database that holds the tables; SQLite in the data folder where there is none.
    pub postgres: Option<PostgresAddress>,
    /// The certificate with which connections are encrypted.
    #[cfg(feature = "tls")]
    pub certificate: Option<Certificate>,
    /// How people reach it from outside: `https://board.example.org`. Sign-in cookies are for encrypted
    /// connections only where it begins with https.
    pub public_url: Option<String>,
    /// An operator console beside the leaderboard.
    pub console: Option<ConsoleSettings>,
}

impl Settings {
    /// The usual settings of a data folder.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            listen: "127.0.0.1:8080".into(),
            workers: 1,
            review: false,
            per_day: 20,
            upload: 2 << 30,
            unpacked: Limits { bytes: 8 << 30, file: 256 << 20, entries: 500_000 },
            lease: 120,
            model: longarm_onnx::Limits::default(),
            films: 1 << 30,
            allowed: Vec::new(),
            postgres: None,
            #[cfg(feature = "tls")]
            certificate: None,
            public_url: None,
            console: None,
        }
    }
}

impl Settings {
    /// Whether this server encrypts its connections itself.
    pub fn encrypts(&self) -> bool {
        #[cfg(feature = "tls")]
        return self.certificate.is_some();
        #[cfg(not(feature = "tls"))]
        false
    }
}

/// A server that can run.
pub struct Server {
    app: Arc<App>,
    listener: std::net::TcpListener,
    setup: Option<String>,
    #[cfg(feature = "tls")]
    certificate: Option<Arc<tls::Shown>>,
    _lock: longarm_results::Lock,
}

impl Server {
    /// Open a data folder and listen; nothing is answered yet.
    pub fn open(settings: Settings) -> Result<Self, ServeError> {
        let data = settings.data.clone();
        let io = |path: &Path| {
            let path = path.to_owned();
            move |e: std::io::Error| ServeError::Io { path, why: e.to_string() }
        };
        for folder in [data.clone(), app::uploads(&data), app::runs(&data)] {
            std::fs::create_dir_all(&folder).map_err(io(&folder))?;
        }
        let lock =
            longarm_results::Lock::take(&data).map_err(|_| ServeError::Busy(data.clone()))?;
        #[cfg(feature = "tls")]
        let certificate = settings.certificate.clone().map(tls::Shown::open).transpose()?;
        let store = keeping::open(&data, settings.postgres.as_ref())?;
        store.forget_leases()?;
        let setup = match store.accounts()?.is_empty() {
            true => Some(Token::new()?),
            false => None,
        };
        let refuse = |why: String| ServeError::Listen { listen: settings.listen.clone(), why };
        let listener =
            std::net::TcpListener::bind(&settings.listen).map_err(|e| refuse(e.to_string()))?;
        listener.set_nonblocking(true).map_err(|e| refuse(e.to_string()))?;
        let console = settings.console.clone();
        let console = console.map(|c| console::Console::open(&data, c)).transpose()?;
        let app = App {
            console: console.map(Arc::new),
            keys: Keys::open(&data)?,
            boards: Boards::open(&data)?,
            bell: worker::Bell::default(),
            metrics: http::metrics::Metrics::default(),
            tunnels: tunnel::Tunnels::default(),
            rates: http::limit::RateLimits::default(),
            pages: pages::cache::PageCache::default(),
            rankings: ranking::Rankings::default(),
            films: films::Films::default(),
            setup: Mutex::new(setup.as_ref().map(Token::hash)),
            store,
            settings,
        };
        let setup = setup.map(|t| t.text().to_owned());
        Ok(Self {
            app: Arc::new(app),
            listener,
            setup,
            #[cfg(feature = "tls")]
            certificate,
            _lock: lock,
        })
    }

    /// Return where it listens.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        let refuse = |e: std::io::Error| ServeError::Listen {
            listen: self.app.settings.listen.clone(),
            why: e.to_string(),
        };
        self.listener.local_addr().map_err(refuse)
    }

    /// Return the code that makes the first administrator, while there is none.
    pub fn setup_code(&self) -> Option<&str> {
        self.setup.as_deref()
    }

    /// Serve until `stop` says so or the process is asked to end; requests and episodes under way are
    /// brought to their end, and whatever else waits goes on at the next start.
    pub fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let refuse = |e: std::io::Error| ServeError::Listen {
            listen: self.app.settings.listen.clone(),
            why: e.to_string(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(refuse)?;
        let threads = self.app.settings.workers;
        let hands = if threads == 0 { Hands::Checking } else { Hands::Own };
        let mut workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                let app = Arc::clone(&self.app);
                std::thread::spawn(move || worker::work(&app, hands))
            })
            .collect();
        if self.app.settings.films > 0 {
            let app = Arc::clone(&self.app);
            workers.push(std::thread::spawn(move || films::work(&app)));
        }
        let (app, listener) = (Arc::clone(&self.app), self.listener);
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            app.console.iter().for_each(console::Console::start);
            #[cfg(feature = "tls")]
            if let Some(certificate) = self.certificate {
                return http::serve(tls::Door::open(listener, certificate)?, app, stop).await;
            }
            http::serve(http::Plain(listener), app, stop).await
        });
        self.app.bell.stop();
        for worker in workers {
            let _ = worker.join();
        }
        runtime.shutdown_timeout(Duration::from_secs(5));
        served.map_err(|e| ServeError::Listen {
            listen: self.app.settings.listen.clone(),
            why: e.to_string(),
        })
    }
}

/// Complete when the process is asked to end, by Ctrl-C or a request to terminate.
pub async fn asked_to_end() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return interrupt.await };
        let mut interrupt = std::pin::pin!(interrupt);
        let mut terminated = std::pin::pin!(terminate.recv());
        std::future::poll_fn(|context| {
            use std::task::Poll;
            let ended = interrupt.as_mut().poll(context).is_ready()
                || terminated.as_mut().poll(context).is_ready();
            if ended { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
    #[cfg(not(unix))]
    interrupt.await;
}
