//! What numbers and pictures mean, so that two sides can find out that they disagree.
//!
//! An inverted gripper or Euler angles taken for an axis-angle score zero without any error. A server
//! that says what it speaks is compared with what we were told to speak, and refused when the two
//! differ; one that says nothing is believed, and that is noted.

pub use longarm_types::{
    ActionConvention, ActionForm, ActionFrame, ActionUnits, GripperSense, ImageLayout,
    RotationFormat, StateLayout,
};
use longarm_types::{ActionSpec, ToolScale};

use super::{
    msgpack::MsgView,
    numpy::{clip, scalar},
};

/// Everything that must agree about observations.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationConvention {
    /// Order of a picture's axes.
    pub image: ImageLayout,
    /// What the state vector holds.
    pub state: StateLayout,
    /// Names of the pictures, as the server sees them.
    pub cameras: Vec<String>,
}

/// A convention that two sides disagree about.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What.
    pub what: String,
    /// What the server says.
    pub server: String,
    /// What we were told to speak.
    pub ours: String,
}

/// What a server says of itself at the handshake; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stated {
    form: Option<Result<ActionForm, String>>,
    frame: Option<Result<ActionFrame, String>>,
    rotation: Option<Result<RotationFormat, String>>,
    gripper: Option<Result<GripperSense, String>>,
    units: Option<Result<ActionUnits, String>>,
    /// Metres and radians that ±1 of a delta stands for.
    scale: Option<ToolScale>,
    dims: Option<usize>,
    image: Option<Result<ImageLayout, String>>,
    state: Option<Vec<Result<StateLayout, String>>>,
    cameras: Option<Vec<String>>,
}

fn stated<T>(
    value: Option<MsgView<'_>>,
    parse: fn(&str) -> Option<T>,
) -> Option<Result<T, String>> {
    let text = value?.as_str()?;
    // vla-eval's word for "no convention enforced".
    (text != "raw").then(|| parse(text).ok_or_else(|| clip(text)))
}

impl Stated {
    /// Reads `conventions: {action: {form, frame, rotation, gripper, units, scale, dims},
    /// observation: {image, state, cameras}}` (ours) and `action_spec`, `observation_spec` (vla-eval's) from what
    /// a server sends first.
    pub fn read(metadata: &MsgView<'_>) -> Self {
        let mut out = Self::default();
        if let Some(ours) = metadata.get("conventions") {
            let action = |key: &str| ours.get("action")?.get(key);
            let observation = |key: &str| ours.get("observation")?.get(key);
            out.form = stated(action("form"), ActionForm::parse);
            out.frame = stated(action("frame"), ActionFrame::parse);
            out.rotation = stated(action("rotation"), RotationFormat::parse);
            out.gripper = stated(action("gripper"), GripperSense::parse);
            out.units = stated(action("units"), ActionUnits::parse);
            let pair: Option<Vec<f64>> =
                action("scale").and_then(|v| v.items()?.take(3).map(|n| scalar(&n)).collect());
            out.scale = match pair.as_deref() {
                Some(&[metres, radians]) => Some(ToolScale { metres, radians }),
                _ => None,
            };
            out.dims = action("dims").and_then(|v| scalar(&v)).map(|d| d as usize);
            out.image = stated(observation("image"), ImageLayout::parse);
            out.state = stated(observation("state"), StateLayout::parse).map(|s| vec![s]);
            out.cameras = observation("cameras")
                .and_then(|v| v.items())
                .map(|v| v.take(64).filter_map(|c| c.as_str().map(clip)).collect());
        }
        if let Some(spec) = metadata.get("action_spec") {
            out.read_action_spec(&spec);
        }
        if let Some(spec) = metadata.get("observation_spec") {
            out.read_observation_spec(&spec);
        }
        out
    }

    /// Takes an action space by one of its names, as RoboArena states it.
    pub fn form(&mut self, name: &str) {
        self.form = Some(ActionForm::parse(name).ok_or_else(|| clip(name)));
    }

    fn read_action_spec(&mut self, spec: &MsgView<'_>) {
        let format = |key: &str| spec.get(key)?.get("format");
        self.form = stated(format("position"), ActionForm::parse);
        self.rotation = stated(format("rotation"), RotationFormat::parse);
        self.gripper = stated(format("gripper"), GripperSense::parse);
        let dims: Option<Vec<f64>> = spec
            .pairs()
            .map(|p| p.take(64).map(|(_, v)| v.get("dims").and_then(|d| scalar(&d))).collect())
            .unwrap_or_default();
        // A part of unknown length (0) leaves the sum unknown.
        self.dims = dims
            .filter(|d| !d.is_empty() && d.iter().all(|&n| (1.0..1e6).contains(&n)))
            .map(|d| d.iter().sum::<f64>() as usize);
    }

    fn read_observation_spec(&mut self, spec: &MsgView<'_>) {
        let mut cameras = Vec::new();
        for (key, part) in spec.pairs().into_iter().flatten().take(64) {
            let format = part.get("format").and_then(|f| f.as_str()).unwrap_or("raw");
            match key.as_str() {
                Some("state" | "states") => {
                    // A consumer may take several formats.
                    let accepted = part.get("accepts").and_then(|a| a.items());
                    let names: Vec<_> = match accepted {
                        Some(all) => all.take(64).filter_map(|f| f.as_str()).collect(),
                        None => vec![format],
                    };
                    if !names.contains(&"raw") {
                        let parse = |n: &str| StateLayout::parse(n).ok_or_else(|| clip(n));
                        self.state = Some(names.into_iter().map(parse).collect());
                    }
                }
                Some(name) if format != "raw" && format != "language" => {
                    cameras.push(clip(name));
                    self.image = Some(ImageLayout::parse(format).ok_or_else(|| clip(format)));
                }
                _ => {}
            }
        }
        if !cameras.is_empty() {
            self.cameras = Some(cameras);
        }
    }

    /// What the server says and we do not.
    pub fn differences(
        &self,
        action: Option<&ActionConvention>,
        observation: &ObservationConvention,
    ) -> Vec<Difference> {
        let mut out = Vec::new();
        let mut differ = |what: &str, server: String, ours: String| {
            out.push(Difference { what: what.to_owned(), server, ours });
        };
        macro_rules! compare {
            ($what:literal, $said:expr, $ours:expr) => {
                match &$said {
                    Some(Ok(s)) if *s != $ours => {
                        differ($what, s.name().to_owned(), $ours.name().to_owned());
                    }
                    Some(Err(unknown)) => {
                        differ($what, format!("{unknown:?}"), $ours.name().to_owned());
                    }
                    _ => {}
                }
            };
        }
        if let Some(ours) = action {
            compare!("action form", self.form, ours.form);
            compare!("action frame", self.frame, ours.frame);
            compare!("action rotation", self.rotation, ours.rotation);
            compare!("gripper", self.gripper, ours.gripper);
            compare!("action units", self.units, ours.units);
            if let Some(d) = self.dims.filter(|&d| d != ours.dims) {
                differ("numbers per action", d.to_string(), ours.dims.to_string());
            }
        }
        compare!("picture layout", self.image, observation.image);
        if let Some(taken) = &self.state
            && !taken.contains(&Ok(observation.state))
        {
            let names: Vec<_> = taken
                .iter()
                .map(|s| s.as_ref().map_or_else(Clone::clone, |s| s.name().to_owned()))
                .collect();
            differ("state", names.join(" or "), observation.state.name().to_owned());
        }
        // A preset that sends every camera under its own name learns the names later.
        if let Some(wanted) = &self.cameras
            && !observation.cameras.is_empty()
        {
            for camera in wanted.iter().filter(|c| !observation.cameras.contains(c)) {
                differ("picture", format!("wants {camera}"), observation.cameras.join(", "));
            }
        }
        out
    }

    /// Compare the scale of deltas that the server states with the environment's.
    pub fn scale_difference(&self, action: &ActionSpec) -> Option<Difference> {
        let (said, ours) = (self.scale?, action.tool_scale());
        let apart = |a: f64, b: f64| (a - b).abs() > 1e-6 * b.abs();
        let differs = apart(said.metres, ours.metres) || apart(said.radians, ours.radians);
        let text = |s: ToolScale| format!("{} m and {} rad at 1", s.metres, s.radians);
        differs.then(|| Difference {
            what: "action scale".to_owned(),
            server: text(said),
            ours: text(ours),
        })
    }

    /// What the server did not say, for the record.
    pub fn silence(&self) -> Vec<&'static str> {
        let said = [
            ("action form", self.form.is_some()),
            ("action frame", self.frame.is_some()),
            ("action rotation", self.rotation.is_some()),
            ("gripper", self.gripper.is_some()),
            ("action units", self.units.is_some()),
            ("numbers per action", self.dims.is_some()),
            ("picture layout", self.image.is_some()),
            ("state", self.state.is_some()),
        ];
        said.into_iter().filter(|(_, s)| !s).map(|(what, _)| what).collect()
    }
}
