//! The tables, as migrations that are applied in order and never changed.

/// Each brings the database from its index to the next version.
pub(super) const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts(id),
  hash BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts(id),
  token INTEGER NOT NULL REFERENCES tokens(id),
  form TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  account INTEGER REFERENCES accounts(id),
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE TABLE submissions (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts(id),
  description TEXT NOT NULL,
  method TEXT NOT NULL,
  status TEXT NOT NULL,
  size INTEGER NOT NULL,
  received INTEGER NOT NULL DEFAULT 0,
  problems TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  episodes INTEGER NOT NULL DEFAULT 0,
  played INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX submissions_by_status ON submissions(status, created_at);
CREATE INDEX submissions_by_account ON submissions(account, created_at);
CREATE TABLE episodes (
  submission TEXT NOT NULL REFERENCES submissions(id),
  idx INTEGER NOT NULL,
  task TEXT NOT NULL,
  seed TEXT NOT NULL,
  claimed TEXT NOT NULL,
  judged TEXT,
  lease_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (submission, idx)
) WITHOUT ROWID;
CREATE INDEX episodes_open ON episodes(submission, task, idx) WHERE judged IS NULL;
CREATE TABLE rows (
  id TEXT PRIMARY KEY,
  submission TEXT NOT NULL REFERENCES submissions(id),
  account INTEGER NOT NULL REFERENCES accounts(id),
  board TEXT NOT NULL,
  policy TEXT NOT NULL,
  row TEXT NOT NULL,
  results TEXT NOT NULL,
  claims TEXT NOT NULL,
  seeds_hash TEXT NOT NULL,
  outcomes BLOB NOT NULL,
  receipt TEXT,
  published_at INTEGER,
  withdrawn_at INTEGER,
  UNIQUE (submission, board)
);
CREATE INDEX rows_by_board ON rows(board, account, policy, published_at);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
",
    "
ALTER TABLE submissions ADD COLUMN board TEXT;
ALTER TABLE submissions ADD COLUMN server TEXT;
ALTER TABLE episodes ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
",
    "
ALTER TABLE episodes ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episodes ADD COLUMN told TEXT;
ALTER TABLE episodes ADD COLUMN worker INTEGER REFERENCES accounts(id);
",
];
