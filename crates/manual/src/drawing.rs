//! Initializations drawn to scale.

use std::fmt::Write as _;

use longarm_assets::{Colour, Rig, Tint};
use longarm_task::{Scene, TaskSpec};
use longarm_types::{DVec3, yaw};

use crate::escape;
use crate::words::millimetres;

/// Widest drawing on a printed page, millimetres.
const WIDEST: f64 = 180.0;
/// Free room around what is drawn, metres.
const MARGIN: f64 = 0.06;

/// What is drawn of the table, metres, and how many times smaller.
struct Area {
    low: [f64; 2],
    high: [f64; 2],
    scale: f64,
}

impl Area {
    /// The workspace, where the robots stand, and whatever stands elsewhere.
    fn of(scene: &Scene, rig: &Rig) -> Self {
        let b = &rig.workspace;
        let (mut low, mut high) = ([0.0f64; 2], [0.0f64; 2]);
        let mut hold = |p: DVec3, room: f64| {
            for (i, v) in [p.x, p.y].into_iter().enumerate() {
                low[i] = low[i].min(v - room);
                high[i] = high[i].max(v + room);
            }
        };
        let (centre, half) = (DVec3::from(b.centre), DVec3::from(b.half));
        hold(centre - half, MARGIN);
        hold(centre + half, MARGIN);
        rig.limbs().iter().for_each(|l| hold(l.standing().pos, MARGIN));
        for (inst, pose) in scene.structure.instances.iter().zip(&scene.poses) {
            let half = inst.asset.info().bounds.half;
            hold(inst.asset.info().bounds.centre_in(pose), half[0].max(half[1]));
        }
        // As large as fits: 1:3, 1:4 and so on.
        let scale = (1000.0 * (high[1] - low[1]) / WIDEST).ceil().max(1.0);
        Self { low, high, scale }
    }

    /// Millimetres of the table onto millimetres of the drawing: x up, y left.
    fn at(&self, p: DVec3) -> (f64, f64) {
        (1000.0 * (self.high[1] - p.y), 1000.0 * (self.high[0] - p.x))
    }
}

/// One initialization: a drawing and a table.
pub(crate) fn initialization(
    spec: &TaskSpec,
    scene: &Scene,
    rig: &Rig,
    out: &mut String,
) -> std::fmt::Result {
    let area = Area::of(scene, rig);
    let [w, h] = [1, 0].map(|i| 1000.0 * (area.high[i] - area.low[i]));
    let at = |p: DVec3| area.at(p);
    writeln!(
        out,
        "<div class=scene><h3>Initialization {} <small>1:{}</small></h3><p>{}</p>",
        scene.seed.0,
        area.scale,
        escape(&scene.instruction)
    )?;
    writeln!(
        out,
        "<svg viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{:.1}mm\" height=\"{:.1}mm\">",
        w / area.scale,
        h / area.scale
    )?;
    let b = &rig.workspace;
    let (wx, wy) = at(DVec3::from(b.centre) + DVec3::new(b.half[0], b.half[1], 0.0));
    writeln!(
        out,
        "<rect x=\"{wx:.1}\" y=\"{wy:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"8 6\"/>",
        2000.0 * b.half[1],
        2000.0 * b.half[0]
    )?;
    for r in &spec.regions {
        for rect in &r.rects {
            let ([cx, cy], [hx, hy]) = (rect.centre(), rect.half());
            let (x, y) = at(DVec3::new(cx + hx, cy + hy, 0.0));
            writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#7a9cc6\" stroke-dasharray=\"3 4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#5f7fa6\" font-size=\"12\">{}</text>",
                2000.0 * hy,
                2000.0 * hx,
                x + 2.0,
                y - 3.0,
                escape(&r.name)
            )?;
        }
    }
    let (ox, oy) = at(DVec3::ZERO);
    writeln!(
        out,
        "<path d=\"M{ox:.1} {oy:.1}v-60m-6 12l6 -12l6 12M{ox:.1} {oy:.1}h-60m12 -6l-12 6l12 6\" fill=\"none\" stroke=\"#b33\" stroke-width=\"2\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"16\">x</text>\
         <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"16\">y</text>",
        ox + 10.0,
        oy - 48.0,
        ox - 60.0,
        oy + 20.0
    )?;
    for limb in rig.limbs() {
        let (rx, ry) = at(limb.standing().pos);
        writeln!(
            out,
            "<path d=\"M{:.1} {ry:.1}h30M{rx:.1} {:.1}v30\" stroke=\"#333\" stroke-width=\"3\"/>",
            rx - 15.0,
            ry - 15.0
        )?;
    }
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
        if info.symmetry == 0 || info.disc {
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
            "<text x=\"{cx:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"16\">{}</text>",
            cy + 5.0,
            i + 1
        )?;
        let [x, y, z] = pose.pos.to_array().map(millimetres);
        let turn = turn.round() + 0.0;
        let colour = match scene.tints[i] {
            Tint::Named(c) => c.name(),
            Tint::Own => "its own",
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
            "<p>{}/{}: {:.3} (m or rad)</p>",
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
