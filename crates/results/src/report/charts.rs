//! Charts as inline SVG in percentages of their own width, so that they fit any column.

use std::fmt::Write;

use crate::StageSteps;
use crate::stats::Interval;

fn pc(share: f64) -> String {
    format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0))
}

fn open(height: u32, label: &str) -> String {
    format!(r#"<svg width="100%" height="{height}" role="img" aria-label="{label}">"#)
}

fn quarters(out: &mut String, height: u32) {
    for x in [25, 50, 75] {
        let _ = write!(out, r#"<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{height}"/>"#);
    }
}

fn line(out: &mut String, class: &str, x1: f64, x2: f64, y1: f64, y2: f64) {
    let (a, b) = (pc(x1), pc(x2));
    let _ = write!(out, r#"<line class="{class}" x1="{a}" x2="{b}" y1="{y1}" y2="{y2}"/>"#);
}

/// A whisker with feet.
fn whisker(out: &mut String, lo: f64, hi: f64, y: f64, foot: f64) {
    line(out, "whisker", lo, hi, y, y);
    line(out, "whisker", lo, lo, y - foot, y + foot);
    line(out, "whisker", hi, hi, y - foot, y + foot);
}

/// A bar from zero with its interval; all in 0–1.
pub(super) fn bar(i: Interval) -> String {
    let label =
        format!("{:.1} %, interval {:.1} to {:.1}", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi);
    let mut out = open(18, &label);
    out.push_str(r#"<rect class="track" y="3" width="100%" height="12" rx="3"/>"#);
    quarters(&mut out, 18);
    let _ =
        write!(out, r#"<rect class="bar pale" y="3" width="{}" height="12" rx="3"/>"#, pc(i.mean));
    line(&mut out, "mean", i.mean, i.mean, 3.0, 15.0);
    whisker(&mut out, i.lo, i.hi, 9.0, 4.0);
    out.push_str("</svg>");
    out
}

/// A point with its interval, for lanes that stand close together.
pub(super) fn point(i: Interval) -> String {
    let label =
        format!("{:.1} %, interval {:.1} to {:.1}", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi);
    let mut out = open(18, &label);
    out.push_str(r#"<rect class="track" y="8" width="100%" height="2"/>"#);
    quarters(&mut out, 18);
    line(&mut out, "whisker", i.lo, i.hi, 9.0, 9.0);
    let _ = write!(out, r#"<circle class="dot" cx="{}" cy="9" r="5.5"/></svg>"#, pc(i.mean));
    out
}

/// A difference with its interval around zero; `reach` is the largest that fits.
pub(super) fn difference(i: Interval, reach: f64) -> String {
    let at = |v: f64| 0.5 + 0.5 * v / reach;
    let label = format!("{:+.1}, interval {:+.1} to {:+.1}", i.mean, i.lo, i.hi);
    let mut out = open(18, &label);
    out.push_str(r#"<line class="zero" x1="50%" x2="50%" y1="0" y2="18"/>"#);
    line(&mut out, "whisker", at(i.lo), at(i.hi), 9.0, 9.0);
    let _ = write!(out, r#"<circle class="dot" cx="{}" cy="9" r="5"/></svg>"#, pc(at(i.mean)));
    out
}

/// A share as a plain thin bar.
pub(super) fn share(v: f64, pale: bool) -> String {
    let mut out = open(10, &format!("{:.0} %", 100.0 * v));
    out.push_str(r#"<rect class="track" y="1" width="100%" height="8" rx="2"/>"#);
    let class = if pale { "bar pale" } else { "bar" };
    let _ =
        write!(out, r#"<rect class="{class}" y="1" width="{}" height="8" rx="2"/></svg>"#, pc(v));
    out
}

/// When a stage was completed: thin 10–90 %, thick 25–75 %, a tick at the median.
pub(super) fn moments(s: Option<StageSteps>, most: f64) -> String {
    let mut out = match s {
        Some(s) => open(
            14,
            &format!("median step {:.0}, half between {:.0} and {:.0}", s.p50, s.p25, s.p75),
        ),
        None => open(14, "never completed"),
    };
    out.push_str(r#"<line class="grid" x1="0" x2="100%" y1="7" y2="7"/>"#);
    if let Some(s) = s {
        let at = |v: f64| v / most.max(1.0);
        line(&mut out, "thin", at(s.p10), at(s.p90), 7.0, 7.0);
        let _ = write!(
            out,
            r#"<rect class="bar pale" x="{}" y="3" width="{}" height="8" rx="2"/>"#,
            pc(at(s.p25)),
            pc((at(s.p75) - at(s.p25)).max(0.004)),
        );
        line(&mut out, "median", at(s.p50), at(s.p50), 2.0, 12.0);
    }
    out.push_str("</svg>");
    out
}

/// A task's stages at a glance: one column each, as tall as the share of episodes that completed it.
pub(super) fn columns(shares: &[f64]) -> String {
    let label: Vec<String> = shares.iter().map(|s| format!("{:.0}", 100.0 * s)).collect();
    let mut out = open(22, &format!("completed in percent by stage: {}", label.join(", ")));
    let n = shares.len().max(1) as f64;
    // Few stages make no wider columns than many.
    let wide = (1.0 / n).min(0.08);
    for (i, s) in shares.iter().enumerate() {
        let (x, w) = (pc(i as f64 * wide), pc(wide * 0.82));
        let tall = 22.0 * s.clamp(0.0, 1.0);
        let _ = write!(
            out,
            r#"<rect class="track" x="{x}" width="{w}" height="22" rx="1.5"/><rect class="bar" x="{x}" width="{w}" y="{:.1}" height="{tall:.1}" rx="1.5"/>"#,
            22.0 - tall,
        );
    }
    out.push_str("</svg>");
    out
}

/// Points of shares against shares in a square, with the diagonal on which nothing changes. Points in
/// one place become one of their area.
pub(super) fn scatter(points: &[[f64; 2]]) -> String {
    const SIDE: f64 = 240.0;
    const EDGE: f64 = 34.0;
    /// Room for the largest points between the ends of the axes and their labels.
    const INSET: f64 = 14.0;
    let along = |share: f64| INSET + share * (SIDE - 2.0 * INSET);
    let mut places: Vec<([i64; 2], u32)> = Vec::new();
    for p in points {
        let at = p.map(|v| (v.clamp(0.0, 1.0) * 200.0).round() as i64);
        match places.iter_mut().find(|(place, _)| *place == at) {
            Some((_, n)) => *n += 1,
            None => places.push((at, 1)),
        }
    }
    // Large points first, so that they hide no small ones.
    places.sort_by_key(|&(at, n)| (std::cmp::Reverse(n), at));
    let (wide, tall) = (SIDE + EDGE + 14.0, SIDE + EDGE + 12.0);
    let below = points.iter().filter(|[x, y]| y < x).count();
    let mut out = format!(
        r#"<svg class="scatter" viewBox="0 0 {wide} {tall}" role="img" aria-label="{} skills, {below} below the diagonal">"#,
        points.len()
    );
    let (left, bottom) = (EDGE, SIDE + 10.0);
    for tick in [0.0, 0.5, 1.0] {
        let (x, y) = (left + along(tick), bottom - along(tick));
        let label = 100.0 * tick;
        let _ = write!(
            out,
            r#"<line class="grid" x1="{left}" x2="{}" y1="{y}" y2="{y}"/><line class="grid" x1="{x}" x2="{x}" y1="10" y2="{bottom}"/><text x="{x}" y="{}" text-anchor="middle">{label}</text><text x="{}" y="{}" text-anchor="end">{label}</text>"#,
            left + SIDE,
            bottom + 16.0,
            left - 7.0,
            y + 4.0,
        );
    }
    let _ = write!(
        out,
        r#"<line class="zero" x1="{}" y1="{}" x2="{}" y2="{}"/>"#,
        left + along(0.0),
        bottom - along(0.0),
        left + along(1.0),
        bottom - along(1.0)
    );
    for ([x, y], n) in places {
        let (cx, cy) = (left + along(x as f64 / 200.0), bottom - along(y as f64 / 200.0));
        let r = (5.0 * f64::from(n).sqrt()).min(INSET);
        let _ = write!(out, r#"<circle class="dot" cx="{cx:.1}" cy="{cy:.1}" r="{r:.1}"/>"#);
    }
    let middle = left + 0.5 * SIDE;
    let _ = write!(
        out,
        r#"<text x="{middle}" y="{}" text-anchor="middle">unmodified, % solved</text></svg>"#,
        bottom + 31.0
    );
    out
}
