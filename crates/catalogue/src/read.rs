//! Tasks that a run wrote down.

use std::path::Path;

use longarm_task::TaskSpec;
use longarm_task::bddl;
use longarm_task::form::{self, Format, NoFiles};

use crate::file::id_of;
use crate::{CatalogueError, Written};

/// The task in a text that needs no other file.
pub fn read_written(file: &Written) -> Result<TaskSpec, CatalogueError> {
    let path = Path::new(&file.name);
    let name = &file.name;
    let wrong = |e: &dyn std::fmt::Display| CatalogueError::File(format!("{name}:{e}"));
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let format = match ending.to_ascii_lowercase().as_str() {
        "bddl" => {
            let options = bddl::Options::new(id_of(path));
            let problem = bddl::parse(&file.text);
            return problem.and_then(|p| bddl::compile(&p, &options)).map_err(|e| wrong(&e));
        }
        "toml" => Format::Toml,
        "json" => Format::Json,
        _ => {
            return Err(CatalogueError::File(format!(
                "{name} is not a task: .toml, .json and .bddl files are"
            )));
        }
    };
    let read = form::read(&file.text, format, &id_of(path), &NoFiles).map_err(|e| wrong(&e))?;
    Ok(read.task)
}
