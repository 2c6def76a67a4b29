//! A model as planner.

use longarm_policy::{EpisodeInfo, PolicyError};
use longarm_task::speech::Area;
use serde_json::{Value, json};

use super::{Ask, ChatSpec, Client, Expense};
use crate::World;
use crate::memory::{Frame, Picture};
use crate::part::{Answer, Planner, Question};
use crate::sighting::{Noun, Sighting};

/// What a model is told where the agent has no prompt of its own.
const PROMPT: &str = include_str!("../../prompts/planner.md");

/// Asks a model what to do next.
pub(crate) struct ChatPlanner {
    client: Client,
    prompt: String,
    cameras: Vec<String>,
    asked: String,
}

impl ChatPlanner {
    pub(crate) fn new(spec: &ChatSpec) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(spec)?,
            prompt: spec.prompt_text.clone().unwrap_or_else(|| PROMPT.to_owned()),
            cameras: spec.cameras.clone(),
            asked: String::new(),
        })
    }

    fn pictures(&self, frames: &[&Frame]) -> Vec<Vec<u8>> {
        let shown = |p: &&Picture| self.cameras.contains(&p.camera);
        frames.iter().flat_map(|f| f.pictures.iter().filter(shown)).map(png).collect()
    }
}

impl Planner for ChatPlanner {
    fn begin(&mut self, _: &EpisodeInfo) -> Result<(), PolicyError> {
        self.client.begin();
        Ok(())
    }

    fn plan(&mut self, asked: &Question<'_>, world: &mut dyn World) -> Result<Answer, PolicyError> {
        let mut frames = asked.keyframes.clone();
        frames.extend(&asked.recent);
        let now = Frame { pictures: crate::agent::pictures(world.observe()), ..Frame::default() };
        if asked.recent.is_empty() && !self.cameras.is_empty() {
            frames.push(&now);
        }
        let objects = Objects::of(asked.report);
        self.asked = text(asked);
        let answer = self.client.ask(&Ask {
            system: &self.prompt,
            text: &self.asked,
            pictures: &self.pictures(&frames),
            schema: objects.schema(asked.recent.len()),
        })?;
        let keyframes = answer["keyframe_positions"].as_array().into_iter().flatten();
        let frame = |k: &Value| asked.recent.get((k.as_u64()? as usize).checked_sub(1)?);
        let keyframes = keyframes.filter_map(frame).map(|f| f.step).collect();
        Ok(Answer { say: objects.sentence(&answer)?, keyframes })
    }

    fn exchange(&mut self) -> Option<(String, String)> {
        let asked = format!("{}\n{}", self.prompt, std::mem::take(&mut self.asked));
        Some((asked, self.client.take_said()))
    }

    fn looks(&self) -> bool {
        !self.cameras.is_empty()
    }

    fn spent(&self) -> Expense {
        self.client.spent()
    }
}

fn text(asked: &Question<'_>) -> String {
    let mut text = format!("Instruction: {}\n", asked.instruction);
    let mut list = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            text += &format!("{title}:\n");
            lines.iter().for_each(|l| text += &format!("- {l}\n"));
        }
    };
    list("What is seen", asked.report);
    list("What was said before", asked.said);
    if let Some(why) = asked.failed {
        list("The last step was not done", &[why.to_owned()]);
    }
    if !asked.keyframes.is_empty() || !asked.recent.is_empty() {
        text += &format!(
            "Pictures: {} keyframes from earlier, then the last {} frames, oldest first.\n",
            asked.keyframes.len(),
            asked.recent.len()
        );
    }
    text + "Next step, as JSON:"
}

/// The objects that may be named in an answer; none where nobody reports any.
struct Objects {
    pick: Vec<String>,
    place: Vec<String>,
}

impl Objects {
    fn of(report: &[String]) -> Self {
        let seen: Vec<Sighting> = report.iter().filter_map(|s| Sighting::parse(s)).collect();
        let named = |s: &Sighting| format!("{} at ({:.3}, {:.3})", s.called(), s.at[0], s.at[1]);
        let blocks = seen.iter().filter(|s| s.noun == Noun::Block);
        let areas = Area::QUARTERS.into_iter().map(|a| format!("{} area", a.name()));
        let pick: Vec<String> = blocks.map(named).collect();
        let place = match pick.is_empty() {
            true => Vec::new(),
            false => seen.iter().map(named).chain(areas).collect(),
        };
        Self { pick, place }
    }

    /// The schema of answers: which object and where to, from what is seen; a sentence otherwise.
    fn schema(&self, recent: usize) -> Value {
        let mut fields = json!({"done": {"type": "boolean"}});
        if self.pick.is_empty() {
            fields["current_primitive"] = json!({"type": "string"});
        } else {
            fields["pick"] = json!({"type": "string", "enum": self.pick});
            fields["place"] = json!({"type": "string", "enum": self.place});
        }
        if recent > 0 {
            let position = json!({"type": "integer", "minimum": 1, "maximum": recent});
            fields["keyframe_positions"] = json!({"type": "array", "items": position});
        }
        let names: Vec<&String> = fields.as_object().into_iter().flat_map(|o| o.keys()).collect();
        json!({
            "type": "object",
            "properties": fields,
            "required": names,
            "additionalProperties": false,
        })
    }

    /// The sentence of an answer; `None` when the model takes all to be done.
    fn sentence(&self, answer: &Value) -> Result<Option<String>, PolicyError> {
        if answer["done"].as_bool() == Some(true) {
            return Ok(None);
        }
        let field = |name: &str| answer[name].as_str().filter(|s| s.len() < 500);
        let missing = |name: &str| {
            PolicyError::Fault(format!("the model's answer has no {name:?}: {answer}"))
        };
        if let Some(say) = field("current_primitive") {
            return Ok(Some(say.to_owned()));
        }
        if self.pick.is_empty() {
            return Err(missing("current_primitive"));
        }
        let pick = field("pick").ok_or_else(|| missing("pick"))?;
        let place = field("place").ok_or_else(|| missing("place"))?;
        Ok(Some(format!("pick up the {pick} and place it on the {place}")))
    }
}

/// Write a picture as PNG.
pub(super) fn png(p: &Picture) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, p.width as u32, p.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut w| w.write_image_data(&p.rgb));
    // Into memory, with as many bytes as it has: it cannot fail.
    debug_assert!(written.is_ok());
    out
}
