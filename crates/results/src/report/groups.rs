//! Labels and the groups that protocols declare.

use longarm_types::protocol::{Measure, Protocol};

use super::charts;
use super::html::{Html, counted, ends, fixed};
use crate::stats::Interval;
use crate::{LabelResult, Measured, RegimeResult, Run, groups};

/// Longest label that is a code.
const CODE: usize = 4;

/// A number of a run with the ends of its interval, 0–100, and what to write beside it.
pub(super) struct Shown {
    pub(super) value: Interval,
    pub(super) beside: String,
}

impl Shown {
    fn new(intervals: Option<Measured>, measure: Measure, (mean, se): (f64, f64)) -> Self {
        match intervals {
            Some(m) => {
                let value = groups::of(&m, measure);
                Self { value, beside: ends(value, 1.0) }
            }
            None => {
                let value = Interval { mean, lo: mean - se, hi: mean + se };
                Self { value, beside: format!("± {}", fixed(se)) }
            }
        }
    }

    /// Of the tasks of a label.
    pub(super) fn label(l: &LabelResult, measure: Measure) -> Self {
        let plain = match measure {
            Measure::Success => (l.success, l.success_se),
            Measure::Score => (l.mean, l.se),
            Measure::Composite => {
                (f64::midpoint(l.success, l.mean), f64::midpoint(l.success_se, l.se))
            }
        };
        Self::new(l.intervals, measure, plain)
    }

    fn group(g: &RegimeResult, measure: Measure) -> Self {
        let plain = match measure {
            Measure::Success => (g.success, g.success_se),
            Measure::Score => (g.mean, g.se),
            Measure::Composite => {
                (f64::midpoint(g.success, g.mean), f64::midpoint(g.success_se, g.se))
            }
        };
        Self::new(g.intervals, measure, plain)
    }

    /// As a share.
    pub(super) fn share(&self) -> Interval {
        self.value.scaled(0.01)
    }
}

/// What a measure is called: as the protocol does, where it declares several.
pub(super) fn name(protocol: &Protocol, measure: Measure) -> String {
    protocol.measure_name(measure).to_owned()
}

/// The part of one suite, group by group, then labels of no group.
pub(super) fn section(page: &mut Html, run: &Run) {
    let Some(m) = &run.results.mechanisms else { return };
    for suite in &run.results.suites {
        let protocol = run.config.protocol(&suite.suite);
        // The matrix says it better where there is one.
        if protocol.matrix.is_some() {
            continue;
        }
        let own = |l: &&LabelResult| l.suite == suite.suite;
        let labels: Vec<&LabelResult> = m.labels.iter().filter(own).collect();
        if labels.is_empty() {
            continue;
        }
        for measure in protocol.measures() {
            let title = match protocol.measures().len() {
                1 => "What it is good at".to_owned(),
                _ => format!("What it is good at: {}", name(&protocol, measure)),
            };
            let why = match measure {
                Measure::Score => {
                    "Mean score of the tasks that carry a label, with its 95 % interval (± is a standard error)."
                }
                Measure::Success => {
                    "Mean success of the tasks that carry a label, in percent, with its 95 % interval (± is a standard error)."
                }
                Measure::Composite => {
                    "Mean of half success and half score of the tasks that carry a label, with its 95 % interval."
                }
            };
            page.section(&title, why);
            page.raw("<div class=\"two\">");
            for g in m.regimes.iter().filter(|g| g.suite == suite.suite) {
                let shown = Shown::group(g, measure);
                page.raw("<div><h3><span>").text(&capital(&g.regime)).raw("</span>");
                let (mean, tasks) = (fixed(shown.value.mean), counted(g.tasks, "task"));
                let n = format!("{mean} {} · {tasks}", shown.beside);
                page.el("span", "num soft", &n).raw("</h3>");
                rows(page, labels.iter().filter(|l| l.regime.as_ref() == Some(&g.regime)), measure);
                page.raw("</div>");
            }
            let rest: Vec<&&LabelResult> = labels.iter().filter(|l| l.regime.is_none()).collect();
            if !rest.is_empty() {
                page.raw("<div>").el("h3", "", &title_of(&protocol, &suite.suite));
                rows(page, rest.into_iter(), measure);
                page.raw("</div>");
            }
            page.raw("</div></section>");
        }
    }
}

fn rows<'a>(page: &mut Html, labels: impl Iterator<Item = &'a &'a LabelResult>, measure: Measure) {
    for l in labels {
        page.raw("<div class=\"row\"><div class=\"name\">");
        // A code fits before its name; a word would only say it twice.
        if l.name != l.label && l.label.chars().count() <= CODE {
            page.el("span", "code", &l.label);
        }
        let shown = Shown::label(l, measure);
        page.text(&l.name).raw("</div><div class=\"plot\">");
        page.raw(&charts::bar(shown.share())).raw("</div><div class=\"value\">");
        page.text(&fixed(shown.value.mean)).el("small", "", &format!(" {}", shown.beside));
        page.raw("</div></div>");
    }
}

/// What people call a suite.
pub(super) fn title_of(protocol: &Protocol, suite: &str) -> String {
    if protocol.title.is_empty() { suite.to_owned() } else { protocol.title.clone() }
}

/// With a capital letter.
pub(super) fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// One standard error to both sides, of percent.
pub(super) fn interval(mean: f64, se: f64) -> Interval {
    Interval { mean, lo: mean - se, hi: mean + se }.scaled(0.01)
}
