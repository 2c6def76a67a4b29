//! Counts for Prometheus.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::{Answer, waiting};
use crate::app::App;

/// What has happened since the server started.
#[derive(Default)]
pub(crate) struct Metrics {
    /// Answers by hundreds of their status.
    answers: [AtomicU64; 6],
    micros: AtomicU64,
    matched: AtomicU64,
    mismatched: AtomicU64,
}

impl Metrics {
    pub(crate) fn request(&self, status: u16, took: Duration) {
        self.answers[usize::from(status / 100).min(5)].fetch_add(1, Relaxed);
        self.micros.fetch_add(took.as_micros() as u64, Relaxed);
    }

    pub(crate) fn episode(&self, matches: bool) {
        if matches { &self.matched } else { &self.mismatched }.fetch_add(1, Relaxed);
    }
}

pub(super) async fn show(State(app): State<Arc<App>>) -> Answer {
    let census = waiting(|| app.store.census())?;
    let m = &app.metrics;
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: Vec<(String, String)>| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let answers = m.answers.iter().enumerate().skip(1);
    let answers =
        answers.map(|(i, n)| (format!("{{status=\"{i}xx\"}}"), n.load(Relaxed).to_string()));
    metric("longarm_requests_total", "counter", "Requests answered.", answers.collect());
    let seconds = (m.micros.load(Relaxed) as f64 / 1e6).to_string();
    let of = |value: String| vec![(String::new(), value)];
    metric("longarm_request_seconds_total", "counter", "Time spent on them.", of(seconds));
    let replays = [("matched", &m.matched), ("mismatched", &m.mismatched)];
    let replays =
        replays.map(|(l, n)| (format!("{{result=\"{l}\"}}"), n.load(Relaxed).to_string()));
    metric(
        "longarm_replays_total",
        "counter",
        "Episodes replayed since the start.",
        replays.into(),
    );
    let states =
        census.submissions.iter().map(|(s, n)| (format!("{{state=\"{s}\"}}"), n.to_string()));
    metric("longarm_submissions", "gauge", "Submissions by state.", states.collect());
    metric("longarm_episodes", "gauge", "Episodes kept.", of(census.played.to_string()));
    metric(
        "longarm_episodes_waiting",
        "gauge",
        "Episodes that wait.",
        of(census.waiting.to_string()),
    );
    metric("longarm_rows", "gauge", "Published rows.", of(census.rows.to_string()));
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], out).into_response())
}
