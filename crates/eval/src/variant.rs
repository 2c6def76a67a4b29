//! How tasks are played otherwise than by default.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_assets::source::AssetFolders;
use longarm_task::TaskSpec;
use longarm_types::ControlMode;

use crate::SetupError;

/// Choices among the options that suites declare, and the control mode. Every command that takes
/// `-o name=value` or `--control`, and every file that stores them, comes here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Values by the options' names.
    pub options: BTreeMap<String, String>,
    /// What actions command; what each task does by default when missing.
    pub control: Option<ControlMode>,
}

/// The name under which the folders of other people's files stand among the choices: `NAME=DIR,NAME=DIR`.
pub const ASSETS: &str = "assets";

/// Tasks in other people's files, those of suites that can be played so.
fn from_files(
    tasks: Vec<Arc<TaskSpec>>,
    folders: &AssetFolders,
) -> Result<Vec<Arc<TaskSpec>>, SetupError> {
    let mut by_suite: BTreeMap<String, Vec<(usize, TaskSpec)>> = BTreeMap::new();
    for (i, task) in tasks.iter().enumerate() {
        let of = by_suite.entry(task.id.suite().to_owned()).or_default();
        of.push((i, TaskSpec::clone(task)));
    }
    let mut out = tasks;
    for (name, own) in by_suite {
        let Some(files) = longarm_suites::suite(&name).and_then(|s| s.from_files.as_ref()) else {
            continue;
        };
        let (places, own): (Vec<usize>, Vec<TaskSpec>) = own.into_iter().unzip();
        for (i, task) in places.into_iter().zip((files.apply)(own, folders)?) {
            out[i] = Arc::new(task);
        }
    }
    Ok(out)
}

impl Variant {
    /// From texts such as `name=value`; of an option that is given twice the last counts.
    pub fn new<S: AsRef<str>>(
        given: impl IntoIterator<Item = S>,
        control: Option<ControlMode>,
    ) -> Result<Self, SetupError> {
        let parse = |text: S| match text.as_ref().split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(SetupError::Choice(text.as_ref().to_owned())),
        };
        let options = given.into_iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { options, control })
    }

    /// The folders of other people's files, where tasks are to be played in them.
    pub fn assets(&self) -> Result<AssetFolders, SetupError> {
        Ok(self.options.get(ASSETS).map_or(Ok(AssetFolders::default()), |text| text.parse())?)
    }

    /// The choices among the options that suites declare.
    fn choices(&self) -> impl Iterator<Item = (&String, &String)> {
        self.options.iter().filter(|(name, _)| *name != ASSETS)
    }

    /// The tasks so. Refuses options that none of them has, and modes that their rigs do not offer.
    pub fn of(&self, mut tasks: Vec<Arc<TaskSpec>>) -> Result<Vec<Arc<TaskSpec>>, SetupError> {
        let folders = self.assets()?;
        if !folders.is_empty() {
            tasks = from_files(tasks, &folders)?;
        }
        let choices: Vec<_> = self.choices().map(|(n, v)| (n.clone(), v.clone())).collect();
        if !choices.is_empty() {
            let plain = tasks.iter().map(|t| TaskSpec::clone(t)).collect();
            let chosen = longarm_suites::with_options(plain, &choices)?;
            tasks = chosen.into_iter().map(Arc::new).collect();
        }
        if let Some(mode) = self.control {
            for task in &mut tasks {
                *task = Arc::new(TaskSpec::clone(task).with_control(mode)?);
            }
        }
        Ok(tasks)
    }

    /// One task so.
    pub fn of_one(&self, task: Arc<TaskSpec>) -> Result<Arc<TaskSpec>, SetupError> {
        let mut tasks = self.of(vec![Arc::clone(&task)])?;
        Ok(tasks.pop().unwrap_or(task))
    }

    /// A task as it was stored under options that were accepted before; those it does not have change
    /// nothing. `None` if its rig does not offer the control mode.
    pub fn stored(&self, task: TaskSpec) -> Option<TaskSpec> {
        let folders = self.assets().ok()?;
        let task = match folders.is_empty() {
            true => task,
            false => Arc::unwrap_or_clone(from_files(vec![Arc::new(task)], &folders).ok()?.pop()?),
        };
        let options = self.choices().map(|(n, v)| (n.as_str(), v.as_str()));
        let task = longarm_suites::apply_options(task, options);
        match self.control {
            Some(mode) => task.with_control(mode).ok(),
            None => Some(task),
        }
    }
}
