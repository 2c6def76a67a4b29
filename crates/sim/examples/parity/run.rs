//! One recording: compose, place, replay, compare.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use longarm_assets::source::{AssetFolders, Library};
use longarm_sim::{SourceMoment, SourceWorld};
use longarm_suites::libero::originals::{self, OriginalScene, Physics, root_body};
use longarm_task::{SourceView, bddl};
use longarm_types::{DMat3, DVec3, Pose};

use crate::compare::{greatest, median, millimetres, quantile};
use crate::pictures::Pictures;
use crate::recording::Recording;
use crate::{model, observed};

/// Actions after which a recorded script has let go of what it held.
const RELEASE: usize = 104;
/// Physics steps of an action after which the original takes its pictures.
const SEEN: u32 = 24;
/// Actions after which a scene has settled.
const SETTLED: usize = 24;
/// Actions in which states with buried objects are thrown out differently by an earlier version.
const THROWN: usize = 15;

pub struct Scenes<'a> {
    pub library: &'a Library,
    pub libero: &'a Path,
    /// Where pictures are left to be looked at.
    pub sheets: Option<std::path::PathBuf>,
    pub folders: AssetFolders,
}

/// How a recording was met.
pub struct Outcome {
    pub name: String,
    pub version: String,
    /// Numbers of the compiled model that differ.
    model: usize,
    /// Greatest difference of a pose before the first action, metres.
    start: f64,
    /// Greatest difference between where fixtures were recorded and where they are drawn, metres.
    fixtures: f64,
    /// Action at which the robot first touched something.
    touched: Option<usize>,
    /// Tool before and after that, millimetres.
    free: Vec<f64>,
    after: Vec<f64>,
    /// The worst object after each action before the release, millimetres.
    objects: Vec<f64>,
    settled: f64,
    /// Actions whose success differs.
    success: usize,
    /// Greatest difference of what a policy is told through the environment, where it was compared.
    observed: Option<f64>,
    /// Pictures, dB.
    pictures: Vec<f64>,
    pub missed: Vec<String>,
}

impl Outcome {
    pub const HEAD: &str = "recording       mujoco  model  start m  drawn m  touch |  tool mm: free  after med    p90    max | \
                            object mm: med    p90  settled | picture dB: med    min | told | success";
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let touched = self.touched.map_or("-".to_owned(), |t| t.to_string());
        write!(
            f,
            "{:<15} {:<7} {:>5}  {:>7.1e}  {:>7.1e}  {:>5} | {:>14.4} {:>10.3} {:>6.3} {:>6.3} | {:>14.3} {:>6.3} {:>8.3} | {:>15.1} {:>6.1} | {} | {}{}",
            self.name,
            self.version,
            self.model,
            self.start,
            self.fixtures,
            touched,
            greatest(&self.free),
            median(&self.after),
            quantile(&self.after, 0.9),
            greatest(&self.after),
            median(&self.objects),
            quantile(&self.objects, 0.9),
            self.settled,
            median(&self.pictures),
            self.pictures.iter().copied().fold(f64::INFINITY, f64::min),
            self.observed.map_or("-".to_owned(), |v| format!("{v:.0e}")),
            if self.success == 0 { "equal".to_owned() } else { format!("{} differ", self.success) },
            if self.missed.is_empty() { "" } else { "  MISSED" },
        )
    }
}

impl Scenes<'_> {
    fn problem(&self, folder: &Path, r: &Recording) -> Result<bddl::Problem, String> {
        let own = folder.join(format!("{}.bddl", r.task));
        let inside =
            ["libero/libero/bddl_files", "libero/bddl_files", "bddl_files", "../bddl_files"];
        let file = format!("{}/{}.bddl", r.suite, r.task);
        let files = inside.iter().map(|i| self.libero.join(i).join(&file));
        let file = [own].into_iter().chain(files).find(|p| p.is_file());
        let file = file.ok_or_else(|| format!("{}: no BDDL file of {}", r.id, r.task))?;
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        bddl::parse_bytes(&bytes).map_err(|e| format!("{}:{e}", file.display()))
    }

    /// Replay a recording.
    pub fn run(&self, folder: &Path, r: &Recording, physics: Physics) -> Result<Outcome, String> {
        let fail = |e: &dyn fmt::Display| format!("{}: {e}", r.id);
        let problem = self.problem(folder, r)?;
        let scene = originals::compose(self.library, &problem, physics).map_err(|e| fail(&e))?;
        let world = SourceWorld::new(&scene.model, &scene.robot).map_err(|e| fail(&e))?;
        let drawn = scene.fixture_poses(0).map_err(|e| fail(&e))?;
        let mut replay = Replay::new(world, &scene, r).map_err(|e| fail(&e))?;
        let numbers = replay.world.numbers();
        let differ = model::differences(&numbers, &folder.join("model.json"))?;
        for line in differ.iter().take(5) {
            eprintln!("{}: model: {line}", r.id);
        }
        let shots = folder.join(format!("mujoco-{}", r.version()));
        let mut pictures =
            Pictures::new(&replay.world, &shots, self.sheets.clone()).map_err(|e| fail(&e))?;
        let mut out = replay.all(r, &scene).map_err(|e| fail(&e))?;
        replay.draw(r, &scene, &mut pictures).map_err(|e| fail(&e))?;
        out.pictures = pictures.decibels;
        if r.is_current() {
            out.observed = observed::apart(r, &self.folders)?;
        }
        out.model = differ.len();
        out.fixtures = fixtures_apart(r, &drawn);
        out.judge(r.is_current());
        Ok(out)
    }
}

/// Greatest difference between recorded and drawn poses of fixtures.
fn fixtures_apart(r: &Recording, drawn: &[(String, Pose)]) -> f64 {
    if r.fixtures.len() != drawn.len() {
        return f64::INFINITY;
    }
    let far = |(name, pose): &(String, Pose)| {
        r.fixtures.get(name).map_or(f64::INFINITY, |f| {
            let turned =
                pose.wxyz().iter().zip(f.quat).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            turned.max(millimetres(pose.pos.to_array(), &f.pos) / 1e3)
        })
    };
    greatest(&drawn.iter().map(far).collect::<Vec<_>>())
}

struct Replay {
    world: SourceWorld,
    objects: Vec<usize>,
    joints: Vec<usize>,
    robot: BTreeSet<i32>,
    rest: BTreeSet<i32>,
    names: Names,
}

impl Replay {
    fn new(
        mut world: SourceWorld,
        scene: &OriginalScene,
        r: &Recording,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        for fixture in r.fixtures.values() {
            let body = world.body(&fixture.root_body)?;
            world.place(body, &Pose::from_arrays(fixture.pos, fixture.quat));
        }
        world.reset();
        if !world.set_state(&r.init_state) {
            let (has, wants) = (r.init_state.len(), world.state_len());
            return Err(format!("the stored state has {has} numbers, the scene {wants}").into());
        }
        let objects =
            r.objects.iter().map(|o| world.body(&root_body(o))).collect::<Result<_, _>>()?;
        let joints = r.articulated.iter().map(|j| world.joint(j)).collect::<Result<_, _>>()?;
        let mut robot = world.felt_geoms("robot0_");
        robot.extend(world.felt_geoms("gripper0_"));
        let rest = world.felt_geoms("").difference(&robot).copied().collect();
        let names = Names::new(&world, scene);
        Ok(Self { world, objects, joints, robot, rest, names })
    }

    fn all(
        &mut self,
        r: &Recording,
        scene: &OriginalScene,
    ) -> Result<Outcome, Box<dyn std::error::Error>> {
        let mut out = Outcome {
            name: r.id.clone(),
            version: r.version().to_owned(),
            model: 0,
            start: self.start(r),
            fixtures: 0.0,
            touched: None,
            free: Vec::new(),
            after: Vec::new(),
            objects: Vec::new(),
            settled: 0.0,
            success: 0,
            observed: None,
            pictures: Vec::new(),
            missed: Vec::new(),
        };
        for (i, action) in r.actions.iter().enumerate() {
            self.world.step(action)?;
            let holds = scene.goal.all_hold(&View { world: &self.world, names: &self.names });
            out.success += usize::from(holds != r.steps.success[i]);
            if out.touched.is_none() && self.world.touch(&self.robot, &self.rest) {
                out.touched = Some(i);
            }
            self.world.refresh();
            let tool = millimetres(self.world.tool().0.to_array(), &r.steps.eef_pos[i]);
            match out.touched {
                None => out.free.push(tool),
                Some(_) => out.after.push(tool),
            }
            let far = |(b, want): (&usize, &[f64; 7])| {
                millimetres(self.world.body_pose(*b).pos.to_array(), &want[..3])
            };
            let apart: Vec<f64> = self.objects.iter().zip(&r.steps.obj[i]).map(far).collect();
            let joints = self.joints.iter().zip(&r.steps.art[i]);
            let moved: Vec<f64> =
                joints.map(|(q, want)| (self.world.positions()[*q] - want).abs() * 1e3).collect();
            let worst = greatest(&apart).max(greatest(&moved));
            if i < RELEASE && (r.is_current() || i >= THROWN) {
                out.objects.push(worst);
            }
            if i == SETTLED {
                out.settled = worst;
            }
        }
        Ok(out)
    }

    /// Draw every recorded picture from the recorded state nearest before it: what comes of small
    /// differences after contact is judged by the replay, not by pictures.
    fn draw(
        &mut self,
        r: &Recording,
        scene: &OriginalScene,
        pictures: &mut Pictures,
    ) -> Result<(), Box<dyn std::error::Error>> {
        for picture in (0..r.actions.len()).filter(|i| pictures.wanted(*i)).collect::<Vec<_>>() {
            self.world.reset();
            let near = r.checkpoints.range(..=picture).next_back().filter(|(from, _)| **from > 0);
            let (from, fits) = match near {
                None => (0, self.world.set_state(&r.init_state)),
                Some((from, moment)) => {
                    let goal_rotation = DMat3::from_cols_array_2d(&moment.goal_ori).transpose();
                    let state = moment.state();
                    let fits = self.world.resume(&SourceMoment {
                        state: &state,
                        warm_start: &moment.qacc_warmstart,
                        goal_rotation,
                        grip: moment.grip(),
                    });
                    (*from, fits)
                }
            };
            if !fits {
                return Err(format!("the state before action {from} does not fit the scene").into());
            }
            for (i, action) in r.actions.iter().enumerate().take(picture + 1).skip(from) {
                pictures.glow(&self.world, &scene.glows)?;
                let mut taken = Ok(());
                self.world.step_seen(action, SEEN, |world| {
                    if i == picture {
                        taken = pictures.take(world, i);
                    }
                })?;
                taken?;
            }
        }
        Ok(())
    }

    /// Greatest difference of a pose before the first action.
    fn start(&self, r: &Recording) -> f64 {
        let tool = millimetres(self.world.tool().0.to_array(), &r.initial.eef_pos);
        let far = |(b, want): (&usize, &[f64; 7])| {
            millimetres(self.world.body_pose(*b).pos.to_array(), &want[..3])
        };
        let objects: Vec<f64> = self.objects.iter().zip(&r.initial.obj).map(far).collect();
        greatest(&objects).max(tool) / 1e3
    }
}

impl Outcome {
    /// Compare with the targets, millimetres. Recordings of the earlier version are judged by the most
    /// that the original itself differs by between the two.
    fn judge(&mut self, current: bool) {
        let (free, after, object) = if current { (0.01, 0.5, 1.0) } else { (0.01, 5.7, 6.6) };
        let mut miss = |what: &str, value: f64, most: f64| {
            if value > most {
                self.missed.push(format!("{what} {value:.4} > {most}"));
            }
        };
        miss("model", self.model as f64, 0.0);
        // Files hold six digits.
        miss("start", self.start, 2e-6);
        miss("fixtures as drawn", self.fixtures, 1e-6);
        miss("tool before contact, mm", greatest(&self.free), free);
        miss("tool after contact, mm", greatest(&self.after), after);
        miss("objects before release, median mm", median(&self.objects), object);
        miss("actions with another success", self.success as f64, 0.0);
        // Actions are told in single precision here.
        miss("told through the environment", self.observed.unwrap_or(0.0), 5e-6);
        if current {
            let least = self.pictures.iter().copied().fold(f64::INFINITY, f64::min);
            let mut below = |what: &str, value: f64, least: f64| {
                if value < least {
                    self.missed.push(format!("{what} {value:.1} < {least}"));
                }
            };
            below("pictures, median dB", median(&self.pictures), 38.0);
            below("the worst picture, dB", least, 30.0);
        }
    }
}

/// Names of a scene, found once.
struct Names {
    geoms: BTreeMap<String, BTreeSet<i32>>,
}

impl Names {
    fn new(world: &SourceWorld, scene: &OriginalScene) -> Self {
        let all = scene.objects.iter().chain(&scene.fixtures);
        let own = |name: &String| (name.clone(), world.felt_geoms(&format!("{name}_")));
        Self { geoms: all.map(own).collect() }
    }
}

struct View<'a> {
    world: &'a SourceWorld,
    names: &'a Names,
}

impl SourceView for View<'_> {
    fn body(&self, name: &str) -> DVec3 {
        self.world.body(name).map_or(DVec3::NAN, |b| self.world.body_pose(b).pos)
    }

    fn site(&self, name: &str) -> (DVec3, DMat3) {
        self.world.site(name).map_or((DVec3::NAN, DMat3::IDENTITY), |s| self.world.site_pose(s))
    }

    fn joint(&self, name: &str) -> f64 {
        self.world.joint(name).map_or(f64::NAN, |q| self.world.positions()[q])
    }

    fn touch(&self, a: &str, b: &str) -> bool {
        match (self.names.geoms.get(a), self.names.geoms.get(b)) {
            (Some(a), Some(b)) => self.world.touch(a, b),
            _ => false,
        }
    }
}
