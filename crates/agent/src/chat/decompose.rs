//! A model that takes a task apart: from a sentence and a picture to steps.

use longarm_policy::PolicyError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Ask, ChatSpec, Client};

/// What the model is told.
const PROMPT: &str = "\
You plan demonstrations for a robot arm on a table. From one picture and one sentence you write the steps \
that a simulator will execute, in order.

Planners, one per step:
- Move: go to an object and take it. target: the object.
- Place: put down what is in the hand. target: an object, a place from the list, `start` for where that object \
stood when the scene began, or `start of NAME` for where another one stood.
- Pour: tilt what is in the hand over a container and hold it upright again. target: the container.
- Open, Close: a drawer, a door or a knob (open turns it on). target: the part.

Use only names from the lists. Take an object before you place or pour it; open what is closed before you reach \
into it; open and close with an empty hand. Keep what makes the task need memory: counts, orders, returning what \
was moved, what is hidden. Answer with JSON only: {\"subtasks\": [{\"step_id\": 1, \"subtask\": \"a short \
imperative sentence\", \"planner\": \"Move\", \"target\": \"NAME\"}, …]}.";

/// What moves the arm in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Motion {
    /// Go to an object and take it.
    Move,
    /// Put down what is held.
    Place,
    /// Tilt what is held over a container.
    Pour,
    /// Open a part.
    Open,
    /// Close a part.
    Close,
}

impl Motion {
    /// All of them, as answers name them.
    pub const NAMES: [&str; 5] = ["Move", "Place", "Pour", "Open", "Close"];
}

/// A step of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// From 1 on.
    pub step_id: u32,
    /// What one would say.
    pub subtask: String,
    /// What moves the arm.
    pub planner: Motion,
    /// An object, a place or a part.
    pub target: String,
}

/// A task taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decomposition {
    /// Its steps in order.
    pub subtasks: Vec<Step>,
}

impl Decomposition {
    /// Read an answer; what is wrong names the step.
    pub fn read(answer: &Value) -> Result<Self, String> {
        let steps = match answer.as_object() {
            Some(fields) if fields.len() == 1 => answer["subtasks"].as_array(),
            _ => None,
        };
        let steps =
            steps.ok_or("the answer is not an object with the one field \"subtasks\", a list")?;
        let read = |(i, v): (usize, &Value)| {
            serde_json::from_value(v.clone()).map_err(|e| {
                let id = v["step_id"].as_u64().unwrap_or(i as u64 + 1);
                format!("step {id}: {e}")
            })
        };
        let subtasks = steps.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { subtasks })
    }

    /// Return the schema of answers.
    pub fn schema() -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "properties": {"subtasks": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "step_id": {"type": "integer"},
                    "subtask": text,
                    "planner": {"type": "string", "enum": Motion::NAMES},
                    "target": text,
                },
                "required": ["step_id", "subtask", "planner", "target"],
                "additionalProperties": false,
            }}},
            "required": ["subtasks"],
            "additionalProperties": false,
        })
    }
}

/// An answer that was sent back, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Word by word.
    pub answer: String,
    /// Each in a sentence.
    pub faults: Vec<String>,
}

/// A model that takes tasks apart.
#[derive(Debug)]
pub struct Decomposer {
    client: Client,
}

impl Decomposer {
    /// Prepare to ask a model.
    pub fn new(spec: &ChatSpec) -> Result<Self, String> {
        Ok(Self { client: Client::new(spec)? })
    }

    /// Ask for the steps of a description, given what can be named, a picture as PNG and the answers that were
    /// sent back so far. Return the answer word by word and what it says, or what is wrong with it.
    pub fn ask(
        &mut self,
        description: &str,
        names: &str,
        picture: Vec<u8>,
        refused: &[Refused],
    ) -> Result<(String, Result<Decomposition, String>), PolicyError> {
        let mut text = format!("{names}\nTask: {description}\n");
        for (n, r) in refused.iter().enumerate() {
            let faults = r.faults.join("\n- ");
            text += &format!("\nYour answer {}:\n{}\nIts faults:\n- {faults}\n", n + 1, r.answer);
        }
        if !refused.is_empty() {
            text += "\nAnswer again, all steps, without these faults.\n";
        }
        let pictures = [picture];
        let ask = Ask {
            system: PROMPT,
            text: &text,
            pictures: &pictures,
            schema: Decomposition::schema(),
        };
        let asked = self.client.ask(&ask);
        let said = self.client.take_said();
        match asked {
            Ok(value) => Ok((said, Decomposition::read(&value))),
            // It answered, but not with JSON.
            Err(PolicyError::Fault(why)) if !said.is_empty() => Ok((said, Err(why))),
            Err(e) => Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        let step = json!({"step_id": 1, "subtask": "take it", "planner": "Move", "target": "mug"});
        let good = Decomposition::read(&json!({"subtasks": [step]})).unwrap();
        assert_eq!(good.subtasks[0].planner, Motion::Move);
        let bad = json!({"step_id": 2, "subtask": "fly", "planner": "Fly", "target": "mug"});
        let e = Decomposition::read(&json!({"subtasks": [step, bad]})).unwrap_err();
        assert!(e.starts_with("step 2: unknown variant `Fly`"), "{e}");
        let e = Decomposition::read(&json!({"subtasks": [step], "why": "…"})).unwrap_err();
        assert!(e.contains("the one field"), "{e}");
        let more = json!({"step_id": 1, "subtask": "", "planner": "Move", "target": "m", "x": 1});
        assert!(Decomposition::read(&json!({"subtasks": [more]})).is_err());
    }
}
