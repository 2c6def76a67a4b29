//! Workers on other machines: they take episodes to replay and tell what they saw.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Json;
use data_encoding::BASE64;

use super::accounts::{Done, read};
use super::{Answer, Refusal, Who, waiting};
use crate::app::App;
use crate::clock::Moment;
use crate::judge;
use crate::model::Judged;
use crate::store::{Hands, Job};
use crate::work::{Findings, WorkItem, WorkList, WorkerInfo};
use crate::worker::CHUNK;

/// One episode of this many, drawn by the server's secret, is played on the server, too.
const SAMPLE: u64 = 8;

pub(super) async fn take(State(app): State<Arc<App>>, body: Bytes) -> Answer<Json<WorkList>> {
    let (theirs, ours): (WorkerInfo, _) = (read(&body)?, WorkerInfo::own());
    if theirs != ours {
        let what = format!("this server is {ours} and the worker {theirs}; use the same release");
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    waiting(|| {
        let until = Moment::now().plus_seconds(app.settings.lease);
        let mut list = WorkList { idle: true, ..WorkList::default() };
        let Some(Job::Play(s, jobs)) = app.store.next_job(until, CHUNK, Hands::Elsewhere)? else {
            // What others have taken may come back.
            list.idle = app.store.census()?.waiting == 0;
            return Ok(Json(list));
        };
        list.idle = false;
        let run = app.run(&s.id);
        for job in jobs {
            let hash = app.boards.catalogue.task(&job.task).map(|t| t.hash());
            let hash = hash.ok_or_else(|| format!("this server has no task {}", job.task));
            match hash.and_then(|hash| Ok((hash, judge::trace(&run, &job)?))) {
                Ok((task_hash, trace)) => {
                    let trace = BASE64.encode(&trace.to_bytes());
                    list.episodes.push(WorkItem { job, task_hash, trace });
                }
                // Nobody else has to look at it.
                Err(what) => {
                    let judged = judge::unplayable(&job, &what);
                    app.store.played(&s.id, vec![(job.index, judged)])?;
                }
            }
        }
        list.submission = s.id;
        Ok(Json(list))
    })
}

pub(super) async fn tell(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answer<Json<Done>> {
    let found: Findings = read(&body)?;
    let worker = who.known()?.account.id;
    let mut episodes = Vec::with_capacity(found.episodes.len());
    for f in found.episodes {
        let judged: Judged = serde_json::from_str(&f.judged)
            .map_err(|e| Refusal::bad(format!("episode {}: {e}", f.index)))?;
        app.metrics.episode(judged.problem.is_none());
        let again = app.keys.hidden(&["sample", &id, &f.index.to_string()]).is_multiple_of(SAMPLE);
        episodes.push((f.index, f.judged, again));
    }
    waiting(|| app.store.told(&id, worker, episodes))?;
    app.bell.ring();
    Ok(Json(Done { done: true }))
}
