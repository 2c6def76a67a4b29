//! What pages are told.

use serde_json::{Value, json};

use super::Console;

impl Console {
    /// Everything that an episode's page shows and that may change.
    pub(crate) fn view(&self, run: &str, k: usize, name: &str, socket: u64) -> Value {
        let status = self.arm.status();
        let control = {
            let c = self.control();
            json!({
                "name": c.controller.as_ref().map(|c| &c.name),
                "mine": c.of(socket).is_ok(),
                "there": c.is_there(),
            })
        };
        let desk = self.desk();
        let Some((e, of)) = desk.episode(run, k).zip(desk.runs.get(run)) else {
            return Value::Null;
        };
        let Some(sheet) = of.sheet(k) else { return Value::Null };
        let verdict = e.verdict(sheet);
        let here = desk.active.as_ref().is_some_and(|(r, at)| (r.as_str(), *at) == (run, k));
        let moves = e.stage == super::Stage::Running && here;
        let step = if moves { status.step } else { e.step };
        let log = of.entries.iter().rev().filter(|x| x.episode == k as u64).take(8);
        let log: Vec<Value> =
            log.map(|x| json!({ "at": x.at, "by": x.by, "event": x.event })).collect();
        let elsewhere =
            desk.active.as_ref().filter(|_| !here).map(|(r, at)| format!("/console/runs/{r}/{at}"));
        json!({
            "me": name,
            "arm": {
                "trouble": status.trouble,
                "robot": status.hello.as_ref().map(|h| &h.robot),
                "watchdog": status.hello.as_ref().map(|h| h.watchdog_ms),
                "running": status.running,
            },
            "control": control,
            "here": here,
            "elsewhere": elsewhere,
            "policy": desk.driver.is_some(),
            "message": desk.message,
            "step": step,
            "seconds": step as f64 / e.rate,
            "episode": e,
            "verdict": verdict,
            "mine": e.judge(name),
            "log": log,
        })
    }
}
