//! Which database the servers of these tests keep: SQLite, or a PostgreSQL of the tests' own.
//!
//! `LONGARM_TEST_STORE=postgres` runs everything on PostgreSQL, for which `initdb` and `postgres` must be there
//! (Debian: `apt-get install postgresql`).

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use longarm_server::store::sql::{Database, Sql};
use longarm_server::store::{Postgres, Sqlite, Stored};
use longarm_server::{DATABASE, PostgresAddress};

/// What a server keeps its tables in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// What this run of the tests is about.
    pub fn asked() -> Self {
        match std::env::var("LONGARM_TEST_STORE").as_deref() {
            Ok("postgres") => Self::Postgres,
            Err(_) | Ok("" | "sqlite") => Self::Sqlite,
            Ok(other) => panic!("LONGARM_TEST_STORE is sqlite or postgres, not {other:?}"),
        }
    }
}

/// A PostgreSQL that ends with the tests, whatever ends them: it runs for as long as its standard input is open.
struct Cluster {
    address: String,
    _child: Child,
    made: AtomicUsize,
}

/// Where a program of PostgreSQL is.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    all.extend(versions.map(|v| v.path().join("bin")));
    all.into_iter().map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// It refuses to run as root: another user then.
fn user() -> Option<&'static str> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    let exists = |u: &&str| Command::new("id").arg(u).output().is_ok_and(|o| o.status.success());
    root.then(|| ["postgres", "nobody"].into_iter().find(exists).expect("some user but root"))
}

const RUN: &str = r#"
set -e
dir=$(mktemp -d /tmp/longarm-postgres.XXXXXX)
end() { kill -INT $server 2> /dev/null; wait $server; rm -rf "$dir"; }
"$1" -D "$dir/data" -U longarm -A trust -E UTF8 --locale=C.UTF-8 > "$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"$2" -D "$dir/data" -k "$dir" -c listen_addresses= -c max_connections=300 < /dev/null > "$dir/log" 2>&1 &
server=$!
trap end EXIT
until grep -q 'ready to accept connections' "$dir/log"; do
  kill -0 $server || { cat "$dir/log"; exit 1; }
  sleep 0.1
done
echo "ready $dir"
cat > /dev/null
"#;

fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let start = || {
        let (initdb, postgres) = (program("initdb")?, program("postgres")?);
        let mut command = match user() {
            None => Command::new("sh"),
            Some(user) => {
                let mut c = Command::new("setpriv");
                c.args(["--reuid", user, "--regid", user, "--clear-groups", "sh"]);
                c
            }
        };
        command.args(["-c", RUN, "sh"]).arg(initdb).arg(postgres).current_dir("/");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let dir = loop {
            let line = lines.next().unwrap_or_else(|| panic!("PostgreSQL: {said}")).unwrap();
            match line.strip_prefix("ready ") {
                Some(dir) => break dir.to_owned(),
                None => said += &(line + "\n"),
            }
        };
        let address = format!("host={dir} user=longarm dbname=postgres");
        Some(Cluster { address, _child: child, made: AtomicUsize::new(0) })
    };
    CLUSTER.get_or_init(start).as_ref()
}

/// Whether there is a PostgreSQL; says so where there is none.
pub fn has_postgres() -> bool {
    let has = cluster().is_some();
    if !has {
        eprintln!("skipped: no PostgreSQL here; apt-get install postgresql");
    }
    has
}

/// Where the address of a folder's database is written.
pub fn address_file(data: &Path) -> PathBuf {
    data.with_extension("postgres")
}

fn at(address: &str) -> PostgresAddress {
    PostgresAddress { address: address.to_owned(), ca: None }
}

/// Make a database for a data folder that is about to be served.
pub fn new(data: &Path, kind: Kind) {
    std::fs::create_dir_all(data).unwrap();
    if kind == Kind::Sqlite {
        return;
    }
    let cluster = cluster().expect("LONGARM_TEST_STORE=postgres needs PostgreSQL");
    // One schema each.
    let name = format!("board_{}", cluster.made.fetch_add(1, Ordering::SeqCst));
    let made = format!("CREATE SCHEMA {name}");
    let all = Postgres::open(&at(&cluster.address)).unwrap();
    all.write(move |t| t.run(&made, &[])).unwrap();
    let address = format!("{} options='-c search_path={name}'", cluster.address);
    std::fs::write(address_file(data), address).unwrap();
}

/// Look into the database of a folder, served or not.
pub fn look<T>(data: &Path, work: impl FnOnce(&dyn Sql) -> Stored<T>) -> T {
    let looked = match std::fs::read_to_string(address_file(data)) {
        Ok(address) => Postgres::look(&at(&address)).and_then(|p| p.read(work)),
        Err(_) => Sqlite::open(&data.join(DATABASE)).and_then(|s| s.read(work)),
    };
    looked.unwrap()
}

/// Look up a number.
pub fn count(data: &Path, sql: &str) -> i64 {
    look(data, |c| c.number(sql, &[]))
}

/// All that a folder's database holds, as bytes.
pub fn bytes(data: &Path) -> Vec<Vec<u8>> {
    let mut file = data.join(DATABASE);
    if let Ok(address) = std::fs::read_to_string(address_file(data)) {
        file = data.with_extension("copy");
        let from = Postgres::look(&at(&address)).unwrap();
        longarm_server::store::copy(&from, &Sqlite::open(&file).unwrap()).unwrap();
    }
    let wal = file.with_file_name(format!("{}-wal", file.file_name().unwrap().display()));
    let mut all = vec![std::fs::read(file).unwrap()];
    all.extend(std::fs::read(wal));
    all
}

/// Whether everything is as a database must be.
pub fn sound(data: &Path) {
    if !address_file(data).exists() {
        let said = look(data, |c| c.row("PRAGMA integrity_check", &[])).unwrap().text(0).unwrap();
        assert_eq!(said, "ok");
    }
    // What refers to something finds it.
    for (table, column, other) in
        [("episodes", "submission", "submissions"), ("rows", "submission", "submissions")]
    {
        let sql =
            format!("SELECT COUNT(*) FROM {table} WHERE {column} NOT IN (SELECT id FROM {other})");
        assert_eq!(count(data, &sql), 0, "{table}");
    }
}
