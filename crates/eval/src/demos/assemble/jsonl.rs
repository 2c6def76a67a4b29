//! Training samples for a high-level model that reads pictures: one line per window of frames.
//!
//! A line has `messages` (system, user, assistant) and `images`, as ms-swift and other chat trainers
//! read them: each `<image>` of the user's message stands for one picture, in order. First come the
//! keyframes from before the window, then the window itself, two cameras at each time step. The answer is
//! the subtask of the window's last frame and which of its frames are keyframes, counted from 1.
//! Pictures are files beside, named relative to the dataset.

use longarm_data::write_atomically;
use serde_json::{Value, json};

use super::super::segments::{Segment, category, number, segments};
use super::super::sink::Jpegs;
use super::super::staging::DemoRow;
use super::super::work::Plan;
use super::super::{DemoConfig, DemoError, WINDOW};
use super::{Builder, Shard};

/// A window of frames, by the last of them.
struct Window {
    last: usize,
}

impl Window {
    fn frames(&self) -> std::ops::Range<usize> {
        self.last + 1 - WINDOW..self.last + 1
    }
}

fn windows(config: &DemoConfig, row: &DemoRow) -> Vec<Window> {
    let every = config.window_every.unwrap_or(WINDOW as u32).max(1) as usize;
    (WINDOW - 1..row.frames as usize).step_by(every).map(|last| Window { last }).collect()
}

/// Frames of which pictures are written, in order.
fn shown(config: &DemoConfig, row: &DemoRow) -> Vec<usize> {
    let mut frames: Vec<usize> = row.keyframes.iter().map(|k| k.frame).collect();
    frames.extend(windows(config, row).iter().flat_map(Window::frames));
    frames.sort_unstable();
    frames.dedup();
    frames
}

fn picture(folder: &str, frame: usize, camera: &str) -> String {
    format!("{folder}/{frame:06}_{camera}.jpg")
}

fn folder(plan: &Plan, task: usize, row: &DemoRow) -> String {
    format!("images/{}/seed{}", plan.tasks[task].spec.id, row.episode.seed)
}

/// The files of an episode: its lines, then its pictures.
pub(super) fn files(plan: &Plan, task: usize, config: &DemoConfig, row: &DemoRow) -> Vec<String> {
    let id = &plan.tasks[task].spec.id;
    let lines = format!("rows/{id}/seed{}.jsonl", row.episode.seed);
    let folder = folder(plan, task, row);
    let cameras = || plan.views(task).iter().map(|v| v.name.as_str());
    let pictures = shown(config, row)
        .into_iter()
        .flat_map(|frame| cameras().map(|c| picture(&folder, frame, c)).collect::<Vec<_>>());
    std::iter::once(lines).chain(pictures).collect()
}

/// What the model is asked to do, whatever the task.
fn system(cameras: &[&str]) -> String {
    format!(
        "You watch a robot at work and keep track of a task that takes long. You get pictures of \
         earlier moments that were worth remembering, then {WINDOW} successive time steps up to now; \
         every moment is shown by {}. Say which subtask is being done now, and which of the {WINDOW} \
         time steps, counted from 1, are worth remembering. Answer with a JSON object of two fields, \
         current_primitive (text) and keyframe_positions (list of numbers, empty if there are none), \
         and nothing else.",
        cameras.join(" and ")
    )
}

fn user(instruction: &str, cameras: usize, remembered: usize) -> String {
    let moment = "<image>".repeat(cameras);
    let mut text = format!("Task: {instruction}\n");
    match remembered {
        0 => text.push_str("No earlier moments.\n"),
        n => {
            text.push_str("Earlier moments, oldest first:\n");
            (1..=n).for_each(|k| text.push_str(&format!("{k}: {moment}\n")));
        }
    }
    text.push_str("Now, oldest first:\n");
    (1..=WINDOW).for_each(|k| text.push_str(&format!("{k}: {moment}\n")));
    text
}

impl Builder<'_> {
    pub(super) fn jsonl(&self, shard: &Shard) -> Result<(), DemoError> {
        let (task, _) = shard.keys[0];
        let row = self.rows[shard.first].1;
        let views = self.plan.views(task);
        let mut pack = self.staging.pictures(shard.keys[0])?;
        let missing = |what: &str| DemoError::Config(format!("{what} was not recorded"));
        let folder = folder(self.plan, task, row);
        for v in views {
            let jpegs = Jpegs::take(&v.name, &mut pack).ok_or_else(|| missing(&v.name))?;
            for frame in shown(self.config, row) {
                let bytes = jpegs.get(frame).ok_or_else(|| missing(&v.name))?;
                write_atomically(&self.out.join(picture(&folder, frame, &v.name)), bytes)?;
            }
        }
        let parts = segments(row);
        let mut text = Vec::new();
        let mut count = (usize::MAX, 0);
        for window in windows(self.config, row) {
            let Some(order) = parts.iter().position(|p| p.frames.contains(&window.last)) else {
                continue;
            };
            count = if count.0 == order { (order, count.1 + 1) } else { (order, 0) };
            let line = self.line(task, row, &parts, order, count.1, &window);
            serde_json::to_writer(&mut text, &line)
                .map_err(|e| DemoError::Config(e.to_string()))?;
            text.push(b'\n');
        }
        Ok(write_atomically(&self.out.join(&shard.files[0]), &text)?)
    }

    fn line(
        &self,
        task: usize,
        row: &DemoRow,
        parts: &[Segment],
        order: usize,
        nth: usize,
        window: &Window,
    ) -> Value {
        let spec = &self.plan.tasks[task].spec;
        let views = self.plan.views(task);
        let cameras: Vec<&str> = views.iter().map(|v| v.name.as_str()).collect();
        let (folder, frames) = (folder(self.plan, task, row), window.frames());
        let key = |f: &usize| row.keyframes.iter().any(|k| k.frame == *f);
        let earlier: Vec<usize> =
            row.keyframes.iter().map(|k| k.frame).filter(|f| *f < frames.start).collect();
        let positions: Vec<usize> =
            frames.clone().filter(key).map(|f| f + 1 - frames.start).collect();
        let images: Vec<String> = earlier
            .iter()
            .copied()
            .chain(frames.clone())
            .flat_map(|f| cameras.iter().map(|c| picture(&folder, f, c)).collect::<Vec<_>>())
            .collect();
        let now = &parts[order].sentence;
        let label = json!({"current_primitive": now, "keyframe_positions": positions});
        let user = user(&row.instruction, cameras.len(), earlier.len());
        let say = |role: &str, content: String| json!({"role": role, "content": content});
        json!({
            "qid": format!("seed{}_order{order}_win{nth}_r0", row.episode.seed),
            "messages": [
                say("system", system(&cameras)),
                say("user", user),
                say("assistant", label.to_string()),
            ],
            "images": images,
            "metadata": {
                "task": spec.id,
                "task_id": number(self.plan, task),
                "category": category(&spec.id, &spec.labels),
                "prompt_style": "longarm",
                "seed": row.episode.seed,
                "subtask_order": order,
                "current_primitive": now,
                "keyframe_positions": positions,
                "camera_keys": cameras,
                "history_keyframe_count": earlier.len(),
                "history_keyframes": earlier,
                "window_frames": frames.collect::<Vec<_>>(),
                "num_context_frames": WINDOW,
                "num_context_images": WINDOW * cameras.len(),
                "image_size": views.first().map(|v| [v.width, v.height]),
            },
        })
    }
}
