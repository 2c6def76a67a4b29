//! What a board shows beside the whole: means over the tasks that its protocols put together.

use std::collections::BTreeMap;

use longarm_results::{Results, TaskResult};
use longarm_types::Protocol;
use longarm_types::protocol::{LabelGroup, Matrix, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::Board;

/// Most tasks that a view has a column for each of.
const TASKS: usize = 30;

/// Means over the tasks of a column, 0–100; tasks weigh the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mean {
    /// Episodes that were solved, in percent.
    pub success: f64,
    /// Score.
    pub score: f64,
}

/// Columns that belong together.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// In addresses.
    pub(crate) name: String,
    /// For people.
    pub(crate) title: String,
    pub(crate) columns: Vec<Column>,
}

/// Some tasks of a board.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// In the rows of the board.
    pub(crate) key: String,
    /// For people.
    pub(crate) name: String,
    pub(crate) suite: String,
    which: Which,
}

/// Which tasks of its suite a column is of.
#[derive(Clone, Debug)]
enum Which {
    /// Those with one of these labels.
    Labels(Vec<String>),
    /// Those that are not made of others.
    Plain,
    /// Those in modified surroundings, of one part of the benchmark.
    Modified(Option<String>),
    /// Those that follow on each other.
    Chains,
    /// One.
    Task(String),
}

impl Column {
    fn has(&self, protocol: &Protocol, task: &TaskResult) -> bool {
        let role = protocol.roles.get(&task.task);
        let own = task.task.split_once('/').is_some_and(|(s, _)| s == self.suite);
        own && match &self.which {
            Which::Labels(labels) => task.labels.iter().any(|l| labels.contains(l)),
            Which::Plain => role.is_none(),
            Which::Modified(of) => {
                matches!(role, Some(Role::Modified { challenge, .. }) if challenge == of)
            }
            Which::Chains => matches!(role, Some(Role::Chain { .. })),
            Which::Task(id) => task.task == *id,
        }
    }

    fn mean(&self, protocol: &Protocol, results: &Results) -> Option<Mean> {
        let tasks: Vec<_> =
            results.tasks.iter().filter(|t| t.n > 0 && self.has(protocol, t)).collect();
        let n = tasks.len() as f64;
        (!tasks.is_empty()).then(|| Mean {
            success: 100.0 * tasks.iter().map(|t| t.success.mean).sum::<f64>() / n,
            score: tasks.iter().map(|t| t.score.mean).sum::<f64>() / n,
        })
    }
}

/// Makes the views of one suite.
struct Suite<'a> {
    name: &'a str,
    /// What is put before names where a board has several suites.
    prefix: String,
    protocol: &'a Protocol,
}

impl Suite<'_> {
    fn view(&self, title: &str, columns: Vec<Column>) -> View {
        let title = format!("{}{}", self.prefix, capital(title));
        View { name: plain(&title), title, columns }
    }

    fn column(&self, key: &str, name: &str, which: Which) -> Column {
        let (key, name) = (format!("{}/{key}", self.name), capital(name));
        Column { key, name, suite: self.name.to_owned(), which }
    }

    fn label(&self, label: &str, name: &str) -> Column {
        self.column(label, name, Which::Labels(vec![label.to_owned()]))
    }

    fn group(&self, group: &LabelGroup) -> View {
        let mut columns = Vec::new();
        // A group that claims something about its tasks is worth a number itself.
        if group.needs_context.is_some() && group.labels.len() > 1 {
            let all = group.labels.iter().map(|l| l.label.clone()).collect();
            columns.push(self.column(
                &format!("all {}", group.name),
                "All of them",
                Which::Labels(all),
            ));
        }
        columns.extend(group.labels.iter().map(|l| self.label(&l.label, &l.name)));
        self.view(&group.name, columns)
    }

    fn matrix(&self, matrix: &Matrix) -> [View; 2] {
        let label = |l: &String| self.label(l, l);
        let parts = matrix.parts.iter().map(label);
        let count = |n: usize| self.label(&format!("{n}-{}", matrix.heading), &n.to_string());
        let at_once: Vec<Column> = (1..=matrix.columns.len()).map(count).collect();
        [
            self.view(&matrix.heading, matrix.columns.iter().map(label).collect()),
            self.view(&format!("{} at once", matrix.heading), parts.chain(at_once).collect()),
        ]
    }

    fn roles(&self) -> Option<View> {
        let roles = &self.protocol.roles;
        let mut modified: BTreeMap<&Option<String>, String> = BTreeMap::new();
        let mut chains = false;
        for role in roles.values() {
            match role {
                Role::Modified { challenge, .. } => {
                    let name = match challenge {
                        Some(name) => format!("Modified, {name}"),
                        None => "Modified".to_owned(),
                    };
                    modified.insert(challenge, name);
                }
                Role::Chain { .. } => chains = true,
            }
        }
        let mut columns = vec![self.column("plain", "Plain", Which::Plain)];
        for (challenge, name) in modified {
            let key = format!("modified {}", challenge.as_deref().unwrap_or_default());
            columns.push(self.column(key.trim(), &name, Which::Modified(challenge.clone())));
        }
        if chains {
            columns.push(self.column("chains", "Chains", Which::Chains));
        }
        (!roles.is_empty()).then(|| self.view("Kinds of tasks", columns))
    }
}

/// Return the views of a board: what the protocols of its suites declare, and its tasks where they are few.
pub(crate) fn of(board: &Board) -> Vec<View> {
    let several = board.protocols.len() > 1;
    let mut out = Vec::new();
    for (name, protocol) in &board.protocols {
        let prefix = match (several, protocol.title.is_empty()) {
            (false, _) => String::new(),
            (true, true) => format!("{name}: "),
            (true, false) => format!("{}: ", protocol.title),
        };
        let suite = Suite { name, prefix, protocol };
        out.extend(protocol.groups.iter().map(|g| suite.group(g)));
        out.extend(protocol.matrix.iter().flat_map(|m| suite.matrix(m)));
        out.extend(suite.roles());
    }
    if board.tasks.len() <= TASKS {
        let column = |id: &longarm_types::TaskId| {
            let (suite, name) = (id.suite(), id.as_str().split_once('/').map_or("", |(_, n)| n));
            Column {
                key: id.as_str().to_owned(),
                name: capital(&name.replace('-', " ")),
                suite: suite.to_owned(),
                which: Which::Task(id.as_str().to_owned()),
            }
        };
        let columns = board.tasks.iter().map(column).collect();
        out.push(View { name: "tasks".to_owned(), title: "Tasks".to_owned(), columns });
    }
    out
}

/// Return the means of all columns of a board.
pub(crate) fn means(board: &Board, results: &Results) -> BTreeMap<String, Mean> {
    let columns = of(board).into_iter().flat_map(|v| v.columns);
    let mean = |c: Column| {
        let protocol = board.protocols.get(&c.suite)?;
        Some((c.mean(protocol, results)?, c.key)).map(|(mean, key)| (key, mean))
    };
    columns.filter_map(mean).collect()
}

/// With a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// As a part of an address.
fn plain(text: &str) -> String {
    let small = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = text.chars().map(small).collect();
    text.split('-').filter(|p| !p.is_empty()).collect::<Vec<_>>().join("-")
}
