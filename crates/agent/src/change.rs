//! Changes to an agent on the command line: `par?planner=oracle&clock.planner=20`.

use toml::{Table, Value};

/// Apply changes, joined by `&`, to an agent's description. `PART=KIND` puts another part in its place,
/// `FIELD.FIELD=VALUE` sets a field, and an empty value takes it away.
pub(crate) fn apply(agent: &mut Table, changes: &str) -> Result<(), String> {
    for change in changes.split('&').filter(|c| !c.is_empty()) {
        let Some((path, value)) = change.split_once('=') else {
            return Err(format!("{change:?}: a change is PART=KIND or TABLE.FIELD=VALUE"));
        };
        let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
        let mut table = &mut *agent;
        for parent in parents.split('.').filter(|p| !p.is_empty()) {
            let inner = table.entry(parent).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(inner) = inner else {
                return Err(format!("{change:?}: {parent} has no fields"));
            };
            table = inner;
        }
        match value {
            "" => drop(table.remove(name)),
            _ if parents.is_empty() => {
                let kind = Table::from_iter([("kind".to_owned(), Value::from(value))]);
                table.insert(name.to_owned(), kind.into());
            }
            _ => drop(table.insert(name.to_owned(), read(value))),
        }
    }
    Ok(())
}

/// A number, a truth value, a list or a table as TOML writes it; a word otherwise.
fn read(value: &str) -> Value {
    let parsed = toml::from_str::<Table>(&format!("v = {value}")).ok();
    parsed.and_then(|mut t| t.remove("v")).unwrap_or_else(|| value.into())
}
