//! A leaderboard's tables filled as its workers would fill them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use longarm_eval::{Sanity, unplayed};
use longarm_results::Row;
use longarm_server::board::{Board, Boards};
use longarm_server::judge;
use longarm_server::model::{Description, EpisodeJob, Judged, Method, NewRow, Role, Submission};
use longarm_server::store::{Hands, Job, NewSubmission, Receipts, Sqlite, Store};
use longarm_server::{DATABASE, Moment};
use longarm_types::{EpisodeOutcome, Rng, Seed};

/// Episodes that arrive, and of how many submissions.
pub(crate) const EPISODES: usize = 100_000;
const SUBMISSIONS: usize = 50;
/// Episodes that are told at once, as workers do.
const TOLD: usize = 4;

/// Take a submission to where it is played.
fn begin(
    store: &dyn Store,
    id: &str,
    account: i64,
    name: &str,
    jobs: Vec<EpisodeJob>,
) -> Result<Submission> {
    // A server beside this may take it first, and finds nothing that was uploaded.
    for attempt in 0..10 {
        let id = if attempt == 0 { id.to_owned() } else { format!("{id}again{attempt}") };
        if let Some(s) = try_begin(store, &id, account, name, &jobs)? {
            return Ok(s);
        }
    }
    bail!("something else works in this database")
}

fn try_begin(
    store: &dyn Store,
    id: &str,
    account: i64,
    name: &str,
    jobs: &[EpisodeJob],
) -> Result<Option<Submission>> {
    let description = Description { policy_name: name.to_owned(), ..Description::default() };
    let new = NewSubmission {
        id: id.to_owned(),
        account,
        description,
        method: Method::Replay,
        asked: None,
        size: 1,
        per_day: u64::MAX >> 1,
    };
    store.add_submission(new)?;
    store.received(id, 1)?;
    let until = Moment::now().plus_seconds(3600);
    match store.next_job(until, 1, Hands::Own)? {
        Some(Job::Prepare(s)) if s.id == id => {
            store.prepared(&s.id, Ok(jobs.to_vec()))?;
            Ok(Some(s))
        }
        _ => Ok(None),
    }
}

/// Episodes of a board, some of which were solved.
fn played(boards: &Boards, board: &Board, rng: &mut Rng) -> Result<Vec<(EpisodeJob, Judged)>> {
    let seeds = board.seeds();
    let one = |(index, (task, seed)): (usize, (&longarm_types::TaskId, u64))| {
        let spec = boards.catalogue.task(task).context("a board has a task that is none")?;
        let mut record = unplayed(&spec, Seed(seed), "bench", String::new());
        let solved = rng.next_u64().is_multiple_of(2);
        record.reason = None;
        record.outcome = if solved { EpisodeOutcome::Success } else { EpisodeOutcome::TaskFailure };
        record.score = if solved { 100.0 } else { 25.0 };
        for (i, stage) in record.stages.iter_mut().enumerate() {
            if solved {
                (stage.completed, stage.step) = (true, Some(100 * (i as u32 + 1)));
            }
        }
        record.steps = 600;
        let row = Row::of(index as u64, record);
        let job = EpisodeJob {
            index: index as u64,
            task: task.clone(),
            seed,
            claimed: Some(row.clone()),
            begun: false,
        };
        Ok((job, Judged { row: Some(row), sanity: Sanity::default(), problem: None }))
    };
    board.work(&seeds).enumerate().map(one).collect()
}

/// Publish policies on boards: rows as they are made of real episodes, their numbers drawn.
pub(crate) fn fill(data: &Path, boards: &Boards, some: &[&Board], policies: usize) -> Result<()> {
    let store = Sqlite::open(&data.join(DATABASE))?;
    let account = store.add_account("bench", Role::Administrator, None)?.id;
    let mut rng = Seed(19).stream("bench-server");
    // Of each board one row that follows from episodes.
    let mut templates: Vec<NewRow> = Vec::new();
    let mut first: Option<Submission> = None;
    for board in some {
        let all = played(boards, board, &mut rng)?;
        let (jobs, judged): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        if first.is_none() {
            let one = jobs.into_iter().take(1).collect();
            first = Some(begin(&store, "template", account, "template", one)?);
        }
        let of = first.as_ref().context("no board")?;
        let own = Submission { board: Some(board.name.clone()), ..of.clone() };
        let rows = judge::finish(&own, &judged, boards, Board::seeds);
        templates.extend(rows.map_err(|e| anyhow::anyhow!(e.join("; ")))?);
    }
    store.finished("template", Err(vec!["a template".into()]), None)?;
    let one = played(boards, some[0], &mut rng)?;
    for k in 0..policies {
        let (id, name) = (format!("policy{k}"), format!("Policy {k}"));
        let (job, judged) = one[0].clone();
        begin(&store, &id, account, &name, vec![job])?;
        store.played(&id, vec![(0, judged)])?;
        let share = rng.range(0.05, 0.95);
        let mut rows = Vec::new();
        for (b, template) in templates.iter().enumerate() {
            let mut row = template.clone();
            row.row.id = format!("row{k}x{b}");
            row.row.submission.clone_from(&id);
            row.row.description.policy_name.clone_from(&name);
            row.row.average = 100.0 * share;
            row.row.success.mean = share;
            for mean in row.row.means.values_mut() {
                mean.success = 100.0 * share;
                mean.score = rng.range(0.0, 100.0);
            }
            for byte in &mut row.outcomes {
                *byte = (0..8).fold(0, |bits, i| bits | u8::from(rng.range(0.0, 1.0) < share) << i);
            }
            rows.push(row);
        }
        let receipts = Receipts {
            by_row: rows.iter().map(|r| (r.row.id.clone(), "{}".to_owned())).collect(),
            at: Moment::now(),
        };
        store.finished(&id, Ok(rows), Some(receipts))?;
    }
    Ok(())
}

/// Store very many episodes beside a server that serves them, told a few at a time.
pub(crate) fn ingest(data: &Path, board: &Board) -> Result<()> {
    let store = Sqlite::open(&data.join(DATABASE))?;
    let boards = Boards::open(data)?;
    let account = store.accounts()?.first().context("no account")?.id;
    let mut rng = Seed(20).stream("bench-server");
    let all = played(&boards, board, &mut rng)?;
    let each = EPISODES / SUBMISSIONS;
    for k in 0..SUBMISSIONS {
        let id = format!("ingested{k}");
        let episodes: Vec<(EpisodeJob, Judged)> = (0..each)
            .map(|i| {
                let (job, judged) = all[i % all.len()].clone();
                (EpisodeJob { index: i as u64, ..job }, judged)
            })
            .collect();
        let (jobs, judged): (Vec<_>, Vec<_>) = episodes.into_iter().unzip();
        let id = begin(&store, &id, account, "ingested", jobs)?.id;
        let numbered: Vec<(u64, Judged)> =
            judged.into_iter().enumerate().map(|(i, j)| (i as u64, j)).collect();
        for told in numbered.chunks(TOLD) {
            store.played(&id, told.to_vec())?;
        }
        store.finished(&id, Err(vec!["stored to see how long it takes".into()]), None)?;
    }
    Ok(())
}
