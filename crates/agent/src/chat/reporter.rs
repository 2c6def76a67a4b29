//! A model as reporter.

use longarm_assets::Colour;
use longarm_policy::{EpisodeInfo, PolicyError};
use longarm_task::speech::Area;
use serde_json::{Value, json};

use super::planner::png;
use super::{Ask, ChatSpec, Client, Expense};
use crate::World;
use crate::part::Reporter;
use crate::sighting::{Glimpse, Noun};

/// What a model is told where the agent has no prompt of its own.
const PROMPT: &str = include_str!("../../prompts/reporter.md");
/// Most objects and remarks that are taken from one answer.
const MOST: usize = 60;

/// Asks a model what it sees.
pub(crate) struct ChatReporter {
    client: Client,
    prompt: String,
    cameras: Vec<String>,
}

impl ChatReporter {
    pub(crate) fn new(spec: &ChatSpec) -> Result<Self, String> {
        if spec.cameras.is_empty() {
            return Err("a reporter of kind \"chat\" looks at pictures: name cameras".into());
        }
        Ok(Self {
            client: Client::new(spec)?,
            prompt: spec.prompt_text.clone().unwrap_or_else(|| PROMPT.to_owned()),
            cameras: spec.cameras.clone(),
        })
    }
}

impl Reporter for ChatReporter {
    fn begin(&mut self, _: &EpisodeInfo) {
        self.client.begin();
    }

    fn report(&mut self, world: &mut dyn World) -> Result<Vec<String>, PolicyError> {
        let shown = crate::agent::pictures(world.observe());
        let shown = shown.iter().filter(|p| self.cameras.contains(&p.camera));
        let answer = self.client.ask(&Ask {
            system: &self.prompt,
            text: "What is seen, as JSON:",
            pictures: &shown.map(png).collect::<Vec<_>>(),
            schema: schema(),
        })?;
        sentences(&answer)
    }

    fn spent(&self) -> Expense {
        self.client.spent()
    }
}

/// The schema of answers: objects by colour, kind and area, and remarks.
fn schema() -> Value {
    let colours: Vec<&str> = Colour::ALL.iter().map(|c| c.name()).collect();
    let areas: Vec<&str> = Area::QUARTERS.iter().map(|a| a.name()).collect();
    let object = json!({
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": colours},
            "object": {"type": "string", "enum": Noun::ALL.map(Noun::name)},
            "area": {"type": "string", "enum": areas},
        },
        "required": ["colour", "object", "area"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "objects": {"type": "array", "items": object},
            "remarks": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["objects", "remarks"],
        "additionalProperties": false,
    })
}

/// The sentences of an answer; objects that nobody has a word for are left out.
fn sentences(answer: &Value) -> Result<Vec<String>, PolicyError> {
    let Some(objects) = answer["objects"].as_array() else {
        return Err(PolicyError::Fault(format!("the report has no \"objects\": {answer}")));
    };
    let glimpse = |o: &Value| {
        let word = |field: &str| o[field].as_str();
        let area = |name: &str| Area::QUARTERS.into_iter().find(|a| a.name() == name);
        Some(Glimpse {
            noun: Noun::named(word("object")?)?,
            colour: Colour::ALL.iter().find(|c| Some(c.name()) == word("colour")).copied(),
            area: word("area").and_then(area),
        })
    };
    let seen = objects.iter().filter_map(glimpse).map(|g| g.to_string());
    let remarks = answer["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let remarks = remarks.filter(|r| r.len() < 500).map(str::to_owned);
    Ok(seen.chain(remarks).take(MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_sees_becomes_sentences() {
        let answer = json!({
            "objects": [
                {"colour": "red", "object": "block", "area": "top left"},
                {"colour": "red", "object": "unicorn", "area": "top left"},
            ],
            "remarks": ["the red block stands on the blue zone"],
        });
        let said = sentences(&answer).unwrap();
        assert_eq!(
            said,
            ["there is a red block on the top left area", "the red block stands on the blue zone"]
        );
        assert_eq!(Glimpse::parse(&said[0]).unwrap().area, Some(Area::TopLeft));
        assert_eq!(Glimpse::parse(&said[1]), None);
        assert!(sentences(&json!({})).is_err());
    }
}
