//! One connection, asked from threads that wait for the answer.

use std::collections::BTreeMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row as Found, Statement};

use super::super::sql::{Row, Sql, Value};
use super::super::{StoreError, Stored};
use super::tls::Encrypted;

/// A connection and the statements it knows.
pub(super) struct Link {
    runtime: Handle,
    client: Arc<Client>,
    known: Mutex<BTreeMap<String, Statement>>,
}

fn failed(e: tokio_postgres::Error) -> StoreError {
    // What the database itself says is in the cause.
    let mut text = e.to_string();
    let mut cause = std::error::Error::source(&e);
    while let Some(inner) = cause {
        text += &format!(": {inner}");
        cause = inner.source();
    }
    StoreError::Database(text)
}

/// Wait for something that happens on the connections' own thread: whoever asks may be in a runtime of its own.
fn wait<T: Send + 'static>(
    runtime: &Handle,
    work: impl Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
) -> Stored<T> {
    let (tell, told) = sync_channel(1);
    runtime.spawn(async move {
        let _ = tell.send(work.await);
    });
    told.recv().map_err(|_| StoreError::Database("it is being closed".into()))?.map_err(failed)
}

impl Link {
    /// Connect; encrypted where there is somebody to trust.
    pub(super) fn open(
        runtime: &Handle,
        config: &Config,
        encrypted: Option<Encrypted>,
    ) -> Stored<Self> {
        let (spawner, config) = (runtime.clone(), config.clone());
        let client = wait(runtime, async move {
            let (client, ended) = match encrypted {
                Some(encrypted) => {
                    let (client, connection) = config.connect(encrypted).await?;
                    (client, spawner.spawn(connection))
                }
                None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    (client, spawner.spawn(connection))
                }
            };
            spawner.spawn(async move {
                if let Ok(Err(e)) = ended.await {
                    tracing::warn!(error = %e, "the connection to PostgreSQL ended");
                }
            });
            Ok(client)
        })?;
        Ok(Self { runtime: runtime.clone(), client: Arc::new(client), known: Mutex::default() })
    }

    /// Whether it can still be used.
    pub(super) fn lives(&self) -> bool {
        !self.client.is_closed()
    }

    fn batch(&self, sql: &'static str) -> Stored<()> {
        let client = Arc::clone(&self.client);
        wait(&self.runtime, async move { client.batch_execute(sql).await })
    }

    /// Carry out a transaction.
    pub(super) fn within<T>(
        &self,
        begin: &'static str,
        work: impl FnOnce(&dyn Sql) -> Stored<T>,
    ) -> Stored<T> {
        self.batch(begin)?;
        match work(self) {
            Ok(out) => self.batch("COMMIT").map(|()| out),
            Err(e) => {
                // Where this fails, the connection is gone, and the transaction with it.
                let _ = self.batch("ROLLBACK");
                Err(e)
            }
        }
    }

    fn statement(&self, sql: &str) -> Stored<Statement> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = known.get(sql) {
            return Ok(statement.clone());
        }
        let (client, theirs) = (Arc::clone(&self.client), sql.replace('?', "$"));
        let statement = wait(&self.runtime, async move { client.prepare(&theirs).await })?;
        known.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn refs(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|v| v as &(dyn ToSql + Sync)).collect()
}

fn row(found: &Found) -> Stored<Row> {
    let value = |i| found.try_get::<_, Value>(i).map_err(failed);
    Ok(Row((0..found.len()).map(value).collect::<Stored<_>>()?))
}

impl Sql for Link {
    fn run(&self, sql: &str, values: &[Value]) -> Stored<u64> {
        let (statement, values) = (self.statement(sql)?, values.to_vec());
        let client = Arc::clone(&self.client);
        wait(&self.runtime, async move { client.execute(&statement, &refs(&values)).await })
    }

    fn rows(&self, sql: &str, values: &[Value]) -> Stored<Vec<Row>> {
        let (statement, values) = (self.statement(sql)?, values.to_vec());
        let client = Arc::clone(&self.client);
        let found =
            wait(&self.runtime, async move { client.query(&statement, &refs(&values)).await })?;
        found.iter().map(row).collect()
    }

    fn columns(&self, table: &str) -> Stored<Vec<String>> {
        let sql = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                   WHERE table_schema = current_schema() AND table_name = CAST(?1 AS TEXT)
                   ORDER BY ordinal_position";
        self.rows(sql, &[table.into()])?.iter().map(|r| r.text(0)).collect()
    }

    fn count_on(&self, table: &str) -> Stored<()> {
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', 'id'),
                           (SELECT COALESCE(MAX(id), 0) + 1 FROM {table}), false)"
        );
        self.run(&sql, &[]).map(drop)
    }
}
