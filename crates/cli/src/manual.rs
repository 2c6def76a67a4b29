//! The replication manual: what a lab needs to run a suite's tasks on a real arm, from the same data
//! the simulation runs on.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use longarm_assets::{AssetInfo, CameraMount, CameraSpec, Colour, RegionKind, Rig, Tint};
use longarm_task::place::Place;
use longarm_task::stage::{Count, When};
use longarm_task::{Predicate, Scene, TaskSpec, sample};
use longarm_types::{CONTROL_HZ, DVec3, Seed, yaw};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suite.
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
svg text{font:9px sans-serif}.box{display:inline-block;width:4mm;height:4mm;border:1px solid #333}
@media print{h2{break-after:avoid}body{margin:0;max-width:none}}";

pub(crate) fn run(args: &Args) -> Result<()> {
    let Some(suite) = longarm_suites::SUITES.iter().find(|s| s.name == args.suite) else {
        let names: Vec<_> = longarm_suites::SUITES.iter().map(|s| s.name).collect();
        bail!("no suite {:?}; there are {}", args.suite, names.join(", "));
    };
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make {}", args.out.display()))?;
    let mut index = format!("<h1>{}</h1><ul>", escape(suite.title));
    for spec in suite.tasks() {
        let name = spec.id.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let page = page(&spec, args.initializations)?;
        write_page(&args.out.join(format!("{name}.html")), spec.id.as_str(), &page)?;
        write!(
            index,
            "<li><a href=\"{name}.html\">{name}</a>: {}</li>",
            escape(&spec.instruction)
        )?;
    }
    index.push_str("</ul>");
    write_page(&args.out.join("index.html"), suite.name, &index)?;
    println!("wrote {} pages to {}", suite.ids().len() + 1, args.out.display());
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

fn millimetres(v: f64) -> String {
    format!("{:.0}", 1000.0 * v)
}

fn page(spec: &TaskSpec, initializations: u64) -> Result<String> {
    let rig = spec.rig.rig();
    let scenes = (0..initializations)
        .map(|s| sample(spec, Seed(s)).with_context(|| spec.id.to_string()))
        .collect::<Result<Vec<_>>>()?;
    let mut out = String::new();
    writeln!(out, "<h1>{}</h1>", escape(spec.id.as_str()))?;
    writeln!(out, "<p>Instruction to the policy: <b>{}</b></p>", escape(&spec.instruction))?;
    let seconds = f64::from(spec.horizon) / f64::from(CONTROL_HZ);
    writeln!(
        out,
        "<p>Labels {}. At most {} control steps at {CONTROL_HZ} Hz ({seconds:.0} s). Source: {}.</p>",
        spec.labels.join(", "),
        spec.horizon,
        escape(&spec.source.work)
    )?;
    objects(spec, &mut out)?;
    cameras(&rig, &mut out)?;
    phases(spec, &mut out)?;
    reset(spec, &mut out)?;
    writeln!(
        out,
        "<h2>Initializations</h2><p>Seen from above, 1:5 when printed at full size. The \
        robot's base is the cross; x points away from it (up), y to its left. Millimetres from the \
        point on the table below the origin; headings in degrees, counter-clockwise. The dashed \
        rectangle is the workspace.</p>"
    )?;
    for (k, scene) in scenes.iter().enumerate() {
        initialization(k, scene, &rig, &mut out)?;
    }
    Ok(out)
}

fn objects(spec: &TaskSpec, out: &mut String) -> Result<()> {
    writeln!(
        out,
        "<h2>Objects</h2><table><tr><th>name</th><th>what</th><th>width × depth × height, mm\
        </th><th>mass, g</th><th>places in or on it, mm</th></tr>"
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
                regions(&info)
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

fn regions(info: &AssetInfo) -> String {
    let each = info.regions.iter().map(|r| {
        let [x, y, z] = r.half.map(|h| millimetres(2.0 * h));
        match r.kind {
            RegionKind::Volume => format!("{}: {x} × {y} × {z}", escape(&r.name)),
            RegionKind::Surface => format!("{}: {x} × {y}", escape(&r.name)),
        }
    });
    each.collect::<Vec<_>>().join("; ")
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
            CameraMount::Tool(p) => ("on the hand, in the tool frame", p),
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
    let mount = rig.mount.pos.to_array().map(millimetres).join(", ");
    writeln!(
        out,
        "</table><p>Square pixels, no distortion. Tool frame: z is where the gripper \
        points, y how the fingers close, origin between the pads. Base of the {:?} at ({mount}) mm; \
        joints at the start of an episode, rad: {}.</p>",
        rig.robot,
        rig.home.iter().map(|q| format!("{q:.3}")).collect::<Vec<_>>().join(", ")
    )?;
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
    for (i, s) in spec.stage_list(None)?.iter().enumerate() {
        let mut when = match &s.when {
            When::Holds(p) => words(p),
            When::Times { count: Count::Rises(p), reach } => {
                format!("for the {reach}. time: {}", words(p))
            }
            When::Times { count: Count::Strokes { tool, surface, length }, reach } => format!(
                "{reach} strokes of {} mm with the {tool} on the {surface}",
                millimetres(*length)
            ),
        };
        if s.hold > 0.0 {
            write!(when, " — for {} s", s.hold)?;
        }
        let after: Vec<String> = s.after.iter().map(|j| (j + 1).to_string()).collect();
        writeln!(
            out,
            "<tr><td><span class=box></span> {}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            i + 1,
            escape(&s.name),
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
    writeln!(out, "</p>")?;
    if !spec.forbid.is_empty() {
        writeln!(out, "<p>Ends the episode and takes phases back:</p><ul>")?;
        let stages = spec.stage_list(None)?;
        for f in &spec.forbid {
            let back: Vec<_> =
                spec.revoked(f, &stages).iter().map(|i| (i + 1).to_string()).collect();
            writeln!(out, "<li>{}: takes back {}</li>", escape(&f.name), back.join(", "))?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

/// A predicate as a judge reads it.
fn words(p: &Predicate) -> String {
    use Predicate as P;
    let list = |of: &[P], with: &str| of.iter().map(words).collect::<Vec<_>>().join(with);
    let mm = |v: &f64| millimetres(*v);
    match p {
        P::On { object, support, .. } => format!("{object} rests on {support}"),
        P::LiberoOn { object, support, .. } => format!("{object} is on {support}"),
        P::In { object, region } | P::LiberoIn { object, region } => {
            format!("{object} is in {region}")
        }
        P::Placed { n, goal } => {
            format!("{n} of {} objects are where they belong", goal.objects.len())
        }
        P::At { object, region } => format!("{object} rests at {region}"),
        P::AtStart { object, of, within } => {
            let whose = of.as_ref().map_or("it".to_owned(), |o| o.clone());
            format!("{object} rests within {} mm of where {whose} began", mm(within))
        }
        P::Grasped { object } => format!("the hand holds {object}"),
        P::Lifted { object, clearance, above } => {
            let over = above.as_ref().map_or("its place".to_owned(), |a| a.clone());
            format!("{object} is held in the air, {} mm above {over}", mm(clearance))
        }
        P::Open { part } => format!("{part} is open"),
        P::Closed { part } => format!("{part} is closed"),
        P::HandEmpty => "the hand is empty".into(),
        P::HandAway { distance } => {
            format!("the hand is {} mm from everything that can move", mm(distance))
        }
        P::HandClearOf { object, distance } => {
            format!("the hand is {} mm off {object}", mm(distance))
        }
        P::HandOver { object, within } => {
            format!("the hand is over {object}, within {} mm", mm(within))
        }
        P::Still { object } => format!("{object} does not move"),
        P::Upright { object, within } => {
            format!("{object} stands upright within {:.0}°", within.to_degrees())
        }
        P::Above { object, below } => format!("{object} is above {below}"),
        P::Touching { object, other } => format!("{object} touches {other}"),
        P::Near { object, other, within } => {
            format!("{object} is within {} mm of {other}", mm(within))
        }
        P::Aligned { object, other, within } => {
            format!("{object} is turned like {other} within {:.0}°", within.to_degrees())
        }
        P::Through { object, opening, past } => {
            format!("{object} is through {opening}, its end {} mm past", mm(past))
        }
        P::Not(p) => format!("not: {}", words(p)),
        P::All(of) => list(of, ", and "),
        P::Any(of) => format!("one of: {}", list(of, "; ")),
        P::AtLeast { n, of } => format!("at least {n} of: {}", list(of, "; ")),
    }
}

/// A place as somebody setting the table reads it.
fn place_words(p: &Place) -> String {
    match p {
        Place::At(r) => format!("at {r}"),
        Place::On { object, .. } => format!("on {object}"),
        Place::Under(cover) => format!("under {cover}"),
        Place::Chosen { places, .. } => {
            places.iter().map(place_words).collect::<Vec<_>>().join(" or ")
        }
    }
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

/// Drawn area, metres: x from and to, y to either side.
const AREA: [f64; 3] = [-0.04, 0.70, 0.46];

fn initialization(k: usize, scene: &Scene, rig: &Rig, out: &mut String) -> Result<()> {
    let [x0, x1, y] = AREA;
    let (w, h) = (2000.0 * y, 1000.0 * (x1 - x0));
    // Millimetres of the table onto millimetres of the drawing: x up, y left.
    let at = |p: DVec3| (1000.0 * (y - p.y), 1000.0 * (x1 - p.x));
    writeln!(
        out,
        "<div class=scene><h3>Initialization {k} (seed {})</h3><p>{}</p>",
        scene.seed.0,
        escape(&scene.instruction)
    )?;
    writeln!(
        out,
        "<svg viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{:.1}mm\" height=\"{:.1}mm\">",
        w / 5.0,
        h / 5.0
    )?;
    let b = &rig.workspace;
    let (wx, wy) = at(DVec3::from(b.centre) + DVec3::new(b.half[0], b.half[1], 0.0));
    writeln!(
        out,
        "<rect x=\"{wx:.1}\" y=\"{wy:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"8 6\"/>",
        2000.0 * b.half[1],
        2000.0 * b.half[0]
    )?;
    let (rx, ry) = at(rig.mount.pos);
    writeln!(
        out,
        "<path d=\"M{:.1} {ry:.1}h30M{rx:.1} {:.1}v30\" stroke=\"#333\" stroke-width=\"3\"/>",
        rx - 15.0,
        ry - 15.0
    )?;
    let mut rows = String::new();
    for (i, inst) in scene.structure.instances.iter().enumerate() {
        let (info, pose) = (inst.asset.info(), &scene.poses[i]);
        let fill = match scene.tints[i] {
            Tint::Named(c) => hex(c),
            Tint::Own => "#d9d2c5".into(),
        };
        let half = info.bounds.half;
        let (cx, cy) = at(info.bounds.centre_in(pose));
        let turn = yaw(pose.rot).to_degrees();
        let paint = format!("fill=\"{fill}\" fill-opacity=\"0.75\" stroke=\"#222\"");
        if info.symmetry == 0 {
            writeln!(
                out,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{:.1}\" {paint}/>",
                1000.0 * half[0]
            )?;
        } else {
            let (a, b) = (1000.0 * half[1], 1000.0 * half[0]);
            writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" transform=\"rotate({:.1} {cx:.1} {cy:.1})\" {paint}/>",
                cx - a,
                cy - b,
                2.0 * a,
                2.0 * b,
                -turn
            )?;
        }
        writeln!(
            out,
            "<text x=\"{cx:.1}\" y=\"{:.1}\" text-anchor=\"middle\" style=\"font-size:16px\">{}</text>",
            cy + 5.0,
            i + 1
        )?;
        let [x, y, z] = pose.pos.to_array().map(millimetres);
        let colour = match scene.tints[i] {
            Tint::Named(c) => c.name(),
            Tint::Own => "own",
        };
        writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{colour}</td><td class=n>{x}</td><td class=n>{y}</td><td class=n>{z}</td><td class=n>{turn:.0}</td></tr>",
            i + 1,
            escape(&inst.name),
            inst.asset.noun()
        )?;
    }
    writeln!(
        out,
        "</svg><table><tr><th>#</th><th>name</th><th>what</th><th>colour</th><th>x</th><th>y</th><th>z</th><th>heading</th></tr>{rows}</table>"
    )?;
    for (i, speed) in &scene.belts {
        writeln!(
            out,
            "<p>{}: {:.1} mm/s</p>",
            escape(&scene.structure.instances[*i].name),
            1000.0 * speed
        )?;
    }
    for p in &scene.parts {
        writeln!(
            out,
            "<p>{}/{}: {:.3}</p>",
            escape(&scene.structure.instances[p.instance].name),
            escape(&p.part),
            p.value
        )?;
    }
    writeln!(out, "</div>")?;
    Ok(())
}

fn hex(c: Colour) -> String {
    let [r, g, b] = c.rgb8();
    format!("#{r:02x}{g:02x}{b:02x}")
}
