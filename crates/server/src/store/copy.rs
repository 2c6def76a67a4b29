//! All tables of one database into another that is empty.

use super::schema::{COUNTED, TABLES};
use super::sql::{Database, Row};
use super::{StoreError, Stored};

/// Copy everything as it is at one moment; the other database must hold nothing, and holds nothing if this fails.
pub fn copy(from: &impl Database, to: &impl Database) -> Stored<()> {
    let tables: Vec<(&str, Vec<String>, Vec<Row>)> = from.read(|c| {
        let table = |name: &&'static str| {
            let columns = c.columns(name)?;
            let sql = format!("SELECT {} FROM {name} ORDER BY 1, 2", columns.join(", "));
            Ok((*name, columns, c.rows(&sql, &[])?))
        };
        TABLES.iter().map(table).collect::<Stored<_>>()
    })?;
    to.write(move |t| {
        for (name, columns, rows) in tables {
            if t.any(&format!("SELECT 1 FROM {name} LIMIT 1"), &[])? {
                return Err(StoreError::Conflict(format!(
                    "its table {name} is not empty; give an empty database"
                )));
            }
            let places: Vec<String> = (1..=columns.len()).map(|i| format!("?{i}")).collect();
            let sql = format!(
                "INSERT INTO {name} ({}) VALUES ({})",
                columns.join(", "),
                places.join(", ")
            );
            for row in rows {
                t.run(&sql, &row.0)?;
            }
        }
        COUNTED.iter().try_for_each(|name| t.count_on(name))
    })
}
