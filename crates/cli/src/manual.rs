//! The replication manual: what a lab needs to run a suite's tasks on a real arm, from the same data
//! the simulation runs on.

mod drawing;
mod lab;
mod words;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use longarm_assets::{CameraMount, CameraSpec, Rig};
use longarm_task::{TaskSpec, sample};
use longarm_types::{CONTROL_HZ, DVec3, Seed};

use crate::select::select;
use drawing::initialization;
use words::{blanks, event, millimetres, place_words, remarks, when, words};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suite, task, pattern, task file or folder of them.
    suite: String,
    /// Folder to write into.
    #[arg(long)]
    out: PathBuf,
    /// Initializations drawn per task: seeds 0, 1, 2 ….
    #[arg(long, default_value_t = 10)]
    initializations: u64,
}

const STYLE: &str = "
body{font:11pt/1.45 Georgia,serif;color:#222;max-width:190mm;margin:10mm auto;padding:0 6mm}
h1{font-size:20pt;margin:0}h2{font-size:13pt;border-bottom:1px solid #999;margin-top:9mm}
table{border-collapse:collapse;width:100%;font-size:9.5pt}
th,td{border:1px solid #bbb;padding:2px 5px;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.scene{break-inside:avoid;margin:5mm 0}svg{display:block;border:1px solid #ccc}
svg text{font:9px sans-serif}td.tick{white-space:nowrap}.box{display:inline-block;width:4mm;height:4mm;border:1px solid #333}
@media print{h2{break-after:avoid}body{margin:0;max-width:none}}";

pub(crate) fn run(args: &Args) -> Result<()> {
    let tasks = select(std::slice::from_ref(&args.suite))?;
    let suite = longarm_suites::SUITES.iter().find(|s| s.name == args.suite);
    let title = suite.map_or(args.suite.as_str(), |s| s.title);
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make {}", args.out.display()))?;
    let mut index = format!("<h1>{}</h1><ul>", escape(title));
    for spec in &tasks {
        let name = spec.id.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let page = page(spec, args.initializations)?;
        write_page(&args.out.join(format!("{name}.html")), spec.id.as_str(), &page)?;
        write!(
            index,
            "<li><a href=\"{name}.html\">{name}</a>: {}</li>",
            escape(&blanks(&spec.instruction))
        )?;
    }
    index.push_str("</ul>");
    let real = suite.map_or(&[][..], |s| s.lab);
    if !real.is_empty() {
        index.push_str("<h2>On a real robot only</h2><ul>");
    }
    for task in real {
        let page = lab::page(task, args.initializations)?;
        write_page(&args.out.join(format!("{}.html", task.name)), task.title, &page)?;
        write!(
            index,
            "<li><a href=\"{}.html\">{}</a>: {}</li>",
            task.name,
            escape(task.title),
            escape(task.instruction)
        )?;
    }
    if !real.is_empty() {
        index.push_str("</ul>");
    }
    write_page(&args.out.join("index.html"), &args.suite, &index)?;
    let n = tasks.len() + real.len() + 1;
    writeln!(std::io::stdout().lock(), "wrote {n} pages to {}", args.out.display())?;
    Ok(())
}

fn write_page(path: &std::path::Path, title: &str, body: &str) -> Result<()> {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{}</title>\
         <style>{STYLE}</style><body>{body}</body></html>\n",
        escape(title)
    );
    std::fs::write(path, html).with_context(|| format!("cannot write {}", path.display()))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn page(spec: &TaskSpec, initializations: u64) -> Result<String> {
    let rig = spec.rig();
    let scenes = (0..initializations)
        .map(|s| sample(spec, Seed(s)).with_context(|| spec.id.to_string()))
        .collect::<Result<Vec<_>>>()?;
    let mut out = String::new();
    writeln!(out, "<h1>{}</h1>", escape(spec.id.as_str()))?;
    writeln!(
        out,
        "<p>Instruction to the policy: <b>{}</b></p>",
        escape(&blanks(&spec.instruction))
    )?;
    let seconds = f64::from(spec.horizon) / f64::from(CONTROL_HZ);
    writeln!(
        out,
        "<p>Labels {}. At most {} control steps at {CONTROL_HZ} Hz ({seconds:.0} s). Source: {}.</p>",
        spec.labels.join(", "),
        spec.horizon,
        escape(&spec.source.work)
    )?;
    objects(spec, &mut out)?;
    regions(spec, &mut out)?;
    cameras(&rig, &mut out)?;
    phases(spec, &mut out)?;
    reset(spec, &mut out)?;
    writeln!(
        out,
        "<h2>Initializations</h2><p>Seen from above, 1:{} when printed at full size. The red arrows \
        start at the origin, on the table; x points away from the robot, whose base is the cross, y to \
        its left. Listed is the middle of each object's foot, in millimetres, and its heading in degrees, \
        counter-clockwise. The dashed rectangle is the workspace, the dotted blue ones are the \
        regions.</p>",
        drawing::SCALE
    )?;
    for (k, scene) in scenes.iter().enumerate() {
        initialization(k, spec, scene, &rig, &mut out)?;
    }
    Ok(out)
}

fn objects(spec: &TaskSpec, out: &mut String) -> Result<()> {
    writeln!(
        out,
        "<h2>Objects</h2><table><tr><th>name</th><th>what</th><th>width × depth × height, mm\
        </th><th>mass, g</th><th>remarks; places in or on it, mm</th></tr>"
    )?;
    for o in &spec.objects {
        for asset in &o.assets {
            let info = asset.info();
            let [x, y, z] = info.bounds.half.map(|h| millimetres(2.0 * h));
            let mass =
                if info.fixed { "fixed".into() } else { format!("{:.0}", 1000.0 * info.mass) };
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{x} × {y} × {z}</td><td class=n>{mass}</td><td>{}</td></tr>",
                escape(&o.name),
                asset.noun(),
                escape(&remarks(info))
            )?;
        }
    }
    writeln!(out, "</table>")?;
    if spec.objects.iter().any(|o| o.when.is_some()) {
        writeln!(
            out,
            "<p>Some objects are absent in some initializations; the drawings tell.</p>"
        )?;
    }
    Ok(())
}

/// Where objects begin or must come to stand.
fn regions(spec: &TaskSpec, out: &mut String) -> Result<()> {
    if spec.regions.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Regions</h2><p>Where the middle of an object's foot may be. In the checklist an object is \
        at a region also when it is outside by no more than the tolerance.</p><table><tr><th>name\
        </th><th>x, mm</th><th>y, mm</th><th>headings, °</th><th>tolerance, mm</th></tr>"
    )?;
    for r in &spec.regions {
        let span = |axis: usize| {
            let each = r.rects.iter().map(|rect| {
                let (c, h) = (rect.centre()[axis], rect.half()[axis]);
                format!("{} to {}", millimetres(c - h), millimetres(c + h))
            });
            each.collect::<Vec<_>>().join(" or ")
        };
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.0} to {:.0}</td><td class=n>{}</td></tr>",
            escape(&r.name),
            span(0),
            span(1),
            r.yaw[0].to_degrees(),
            r.yaw[1].to_degrees(),
            millimetres(r.tolerance)
        )?;
    }
    writeln!(out, "</table>")?;
    Ok(())
}

fn cameras(rig: &Rig, out: &mut String) -> Result<()> {
    writeln!(
        out,
        "<h2>Cameras</h2><table><tr><th>camera</th><th>where</th><th>position, mm</th>\
        <th>looks along</th><th>picture's top</th><th>pixels</th><th>f<sub>x</sub> = f<sub>y</sub>, \
        px</th><th>c<sub>x</sub>, c<sub>y</sub>, px</th></tr>"
    )?;
    for c in &rig.cameras {
        let (place, pose) = match &c.mount {
            CameraMount::World(p) => ("fixed, in the world", p),
            CameraMount::Tool { pose: p, .. } => ("on the hand, in the tool frame", p),
        };
        let p = pose.pos.to_array().map(millimetres).join(", ");
        let dir = |v: DVec3| pose.dir(v).to_array().map(|c| format!("{c:.3}")).join(", ");
        writeln!(
            out,
            "<tr><td>{}</td><td>{place}</td><td>{p}</td><td>{}</td><td>{}</td><td>{} × {}</td>\
             <td class=n>{:.1}</td><td class=n>{:.1}, {:.1}</td></tr>",
            escape(&c.name),
            dir(DVec3::NEG_Z),
            dir(DVec3::Y),
            c.width,
            c.height,
            focal(c),
            c.width as f64 / 2.0,
            c.height as f64 / 2.0,
        )?;
    }
    write!(
        out,
        "</table><p>Square pixels, no distortion. Tool frame: z is where the gripper \
        points, y how the fingers close, origin between the pads."
    )?;
    for limb in rig.limbs() {
        let robot = rig.robots[limb.robot].robot;
        let mount = limb.standing().pos.to_array().map(millimetres).join(", ");
        let home = limb.home.iter().map(|q| format!("{q:.3}")).collect::<Vec<_>>().join(", ");
        write!(
            out,
            " Base of the {robot} at ({mount}) mm; joints at the start of an episode, rad: {home}."
        )?;
    }
    writeln!(out, "</p>")?;
    Ok(())
}

/// Focal length in pixels.
fn focal(c: &CameraSpec) -> f64 {
    c.height as f64 / 2.0 / (c.fovy.to_radians() / 2.0).tan()
}

fn phases(spec: &TaskSpec, out: &mut String) -> Result<()> {
    writeln!(
        out,
        "<h2>Checklist for the judge</h2><table><tr><th></th><th>phase</th><th>counts when\
        </th><th>after</th></tr>"
    )?;
    let titles = spec.stage_titles();
    for (i, s) in spec.stage_list(None)?.iter().enumerate() {
        let mut when = when(&s.when);
        if s.hold > 0.0 {
            write!(when, " — for {} s", s.hold)?;
        }
        let after: Vec<String> = s.after.iter().map(|j| (j + 1).to_string()).collect();
        writeln!(
            out,
            "<tr><td class=tick><span class=box></span> {}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            i + 1,
            escape(&titles[i]),
            escape(&when),
            after.join(", ")
        )?;
    }
    writeln!(out, "</table><p>Score: 100 × phases / {}.", spec.stage_names().len())?;
    if let Some(q) = spec.quiet {
        writeln!(
            out,
            " The last phase counts when its result has stood for {q} s with the hand withdrawn."
        )?;
    }
    if let Some(p) = &spec.finally {
        writeln!(out, " At the end: {}.", escape(&words(p)))?;
    }
    writeln!(out, "</p>")?;
    if !spec.forbid.is_empty() {
        writeln!(out, "<p>Ends the episode and takes phases back:</p><ul>")?;
        let stages = spec.stage_list(None)?;
        for f in &spec.forbid {
            let back: Vec<_> =
                spec.revoked(f, &stages).iter().map(|i| (i + 1).to_string()).collect();
            writeln!(
                out,
                "<li><b>{}</b> ({}): takes back {}</li>",
                escape(&f.name),
                escape(&event(&f.event)),
                if back.is_empty() { "none".to_owned() } else { back.join(", ") }
            )?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

fn reset(spec: &TaskSpec, out: &mut String) -> Result<()> {
    writeln!(
        out,
        "<h2>Reset</h2><ol><li>Bring the arm to its joints at the start, gripper open.</li>"
    )?;
    for p in &spec.init.places {
        writeln!(
            out,
            "<li>Place <b>{}</b> as drawn ({}).</li>",
            escape(&p.object),
            escape(&place_words(&p.place))
        )?;
    }
    for (part, _) in &spec.init.parts {
        writeln!(out, "<li>Set <b>{}</b> as listed.</li>", escape(part))?;
    }
    for (belt, [lo, hi]) in &spec.init.belts {
        writeln!(
            out,
            "<li>Start <b>{}</b> at the speed listed ({lo}–{hi} m/s) as the episode begins.</li>",
            escape(belt)
        )?;
    }
    writeln!(
        out,
        "<li>Compare with the drawing: positions within 5 mm, headings within 5°.</li>\
        <li>Step back, read the instruction to the policy, start the clock.</li></ol>"
    )?;
    Ok(())
}
