//! The pages, as they are printed.

use std::fmt::{Error, Write as _};

use longarm_assets::{CameraMount, CameraSpec, Rig};
use longarm_task::{Scene, TaskSpec, sample};
use longarm_types::{CONTROL_HZ, DVec3, Seed};

use crate::drawing::initialization;
use crate::words::{blanks, millimetres, remarks};
use crate::{ManualError, Sheet};

type Result = std::result::Result<(), Error>;

/// The style of printed pages.
pub const STYLE: &str = "
body{font:11pt/1.45 Georgia,serif;color:#222;background:#fff;max-width:190mm;margin:10mm auto;padding:0 6mm}
h1{font-size:20pt;margin:0}h2{font-size:13pt;border-bottom:1px solid #999;margin-top:9mm}
table{border-collapse:collapse;width:100%;font-size:9.5pt}
th,td{border:1px solid #bbb;padding:2px 5px;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.scene{break-inside:avoid;margin:5mm 0}.scene svg{display:block;border:1px solid #ccc}
svg text{font-family:sans-serif}td.tick{white-space:nowrap}.box{display:inline-block;width:4mm;height:4mm;border:1px solid #333}
.lead-in{float:right;width:32mm;margin:0 0 3mm 5mm;font:7pt sans-serif;color:inherit;text-decoration:none;overflow-wrap:anywhere}
.lead-in svg{display:block}
@media print{h2{break-after:avoid}body{margin:0;max-width:none}}";

/// A whole page that needs no other file.
pub fn whole(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{}</title>\
         <style>{STYLE}</style><body>{body}</body></html>\n",
        escape(title)
    )
}

/// Text as it stands in HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

pub(crate) fn page(
    sheet: &Sheet,
    spec: &TaskSpec,
    initializations: u64,
) -> std::result::Result<String, ManualError> {
    let scenes = (0..initializations).map(|s| sample(spec, Seed(s)));
    let scenes = scenes.collect::<std::result::Result<Vec<_>, _>>();
    let scenes = scenes.map_err(|e| ManualError::scene(&spec.id, e))?;
    let mut out = String::new();
    // Writing to a string cannot fail.
    write(sheet, spec, &scenes, &mut out).map_err(|e| ManualError::scene(&spec.id, e))?;
    Ok(out)
}

fn write(sheet: &Sheet, spec: &TaskSpec, scenes: &[Scene], out: &mut String) -> Result {
    let rig = spec.rig();
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
    objects(spec, out)?;
    regions(spec, out)?;
    cameras(&rig, out)?;
    phases(sheet, spec, out)?;
    reset(sheet, out)?;
    writeln!(
        out,
        "<h2>Initializations</h2><p>Seen from above, to the scale given when printed at full size. The red arrows \
        start at the origin, on the table; x points away from the robot, whose base is the cross, y to \
        its left. Listed is the middle of each object's foot, in millimetres, and its heading in degrees, \
        counter-clockwise. The dashed rectangle is the workspace, the dotted blue ones are the \
        regions.</p>"
    )?;
    for scene in scenes {
        initialization(spec, scene, &rig, out)?;
    }
    Ok(())
}

fn objects(spec: &TaskSpec, out: &mut String) -> Result {
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
fn regions(spec: &TaskSpec, out: &mut String) -> Result {
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

fn cameras(rig: &Rig, out: &mut String) -> Result {
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

fn phases(sheet: &Sheet, spec: &TaskSpec, out: &mut String) -> Result {
    writeln!(
        out,
        "<h2>Checklist for the judge</h2><table><tr><th></th><th>phase</th><th>counts when\
        </th><th>after</th></tr>"
    )?;
    let places =
        |of: &[usize]| of.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(", ");
    for (i, p) in sheet.phases.iter().enumerate() {
        writeln!(
            out,
            "<tr><td class=tick><span class=box></span> {}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            i + 1,
            escape(&p.title),
            escape(&p.counts),
            places(&p.after)
        )?;
    }
    writeln!(out, "</table><p>Score: 100 × phases / {}.", sheet.phases.len())?;
    if let Some(q) = spec.quiet {
        writeln!(
            out,
            " The last phase counts when its result has stood for {q} s with the hand withdrawn."
        )?;
    }
    writeln!(out, "</p>")?;
    if !sheet.forbidden.is_empty() {
        writeln!(out, "<p>Ends the episode and takes phases back:</p><ul>")?;
        for f in &sheet.forbidden {
            writeln!(
                out,
                "<li><b>{}</b> ({}): takes back {}</li>",
                escape(&f.name),
                escape(&f.happens),
                if f.takes_back.is_empty() { "none".to_owned() } else { places(&f.takes_back) }
            )?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

fn reset(sheet: &Sheet, out: &mut String) -> Result {
    writeln!(out, "<h2>Reset</h2><ol>")?;
    for step in &sheet.set_up {
        writeln!(out, "<li>{}</li>", escape(step))?;
    }
    writeln!(out, "<li>Read the instruction to the policy, start the clock.</li></ol>")?;
    Ok(())
}
