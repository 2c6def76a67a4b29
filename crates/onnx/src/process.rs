//! The process that runs a model, as the one that asks sees it.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use longarm_policy::{PolicyError, Unavailable};

use crate::feed::Feed;
use crate::wire::{self, Load};
use crate::{COMMAND, Checkpoint, Limits};

/// Bytes of what a process says on its way out.
const LAST_WORDS: u64 = 64 << 10;

/// A model that is loaded; it ends with this value.
pub(crate) struct Process {
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    limits: Limits,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Start one and have it load a model.
    pub(crate) fn start(
        checkpoint: &Checkpoint,
        feed: &Feed,
        limits: Limits,
    ) -> Result<Self, PolicyError> {
        let (mut child, answers) = spawn(limits)
            .map_err(|e| Unavailable::for_good(format!("no process for the model: {e}")))?;
        let questions = child.stdin.take();
        let mut process = Self { child, questions, answers, limits };
        let load = Load {
            inputs: feed.slots(),
            memory: checkpoint.manifest.memory.clone(),
            output: checkpoint.manifest.action.output.clone(),
        };
        let head = serde_json::to_vec(&load).map_err(|e| PolicyError::Fault(e.to_string()))?;
        let length = (head.len() as u64).to_le_bytes();
        let answer = process.ask(&[&length, &head, &checkpoint.model], "load")?;
        match answer.first() {
            Some(&wire::READY) => Ok(process),
            _ => Err(PolicyError::Fault(fault(&answer))),
        }
    }

    /// Ask for an action's numbers; their shape and themselves.
    pub(crate) fn act(
        &mut self,
        first: bool,
        inputs: &[u8],
    ) -> Result<(Vec<usize>, Vec<f32>), PolicyError> {
        let how = if first { wire::ASK_FIRST } else { wire::ASK };
        let answer = self.ask(&[&[how], inputs], "answer")?;
        match answer.split_first() {
            Some((&wire::NUMBERS, rest)) => {
                numbers(rest).ok_or_else(|| PolicyError::Fault("an answer makes no sense".into()))
            }
            _ => Err(PolicyError::Fault(fault(&answer))),
        }
    }

    fn ask(&mut self, question: &[&[u8]], to: &str) -> Result<Vec<u8>, PolicyError> {
        let sent = self.questions.as_mut().map(|q| wire::write(q, question));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.ended(to));
        }
        match self.answers.recv_timeout(self.limits.wait) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended(to)),
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                let limit = self.limits.wait.as_secs_f64();
                Err(PolicyError::Fault(format!("the model takes longer than {limit} s to {to}")))
            }
        }
    }

    /// Why it is not there any more.
    fn ended(&mut self, to: &str) -> PolicyError {
        self.questions = None;
        let mut words = Vec::new();
        if let Some(said) = self.child.stderr.take() {
            let _ = said.take(LAST_WORDS).read_to_end(&mut words);
        }
        let words = String::from_utf8_lossy(&words);
        let Limits { memory_mb, cpu_seconds, .. } = self.limits;
        PolicyError::Fault(match self.child.wait() {
            Ok(status) if out_of_time(status) => {
                format!(
                    "the model needs more than {cpu_seconds} s of processor time to {to} (cpu=)"
                )
            }
            Ok(_) if out_of_memory(&words) => {
                format!("the model needs more than {memory_mb} MB of memory to {to} (memory=)")
            }
            Ok(status) => {
                let last = words.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("no words");
                format!("the model's process ended: {status}, {last}")
            }
            Err(e) => format!("the model's process ended: {e}"),
        })
    }
}

fn spawn(limits: Limits) -> std::io::Result<(Child, Receiver<Vec<u8>>)> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([COMMAND.to_owned(), limits.memory_mb.to_string(), limits.cpu_seconds.to_string()])
        // Nothing of this process's secrets; one thread, so that sums have one order.
        .env_clear()
        .envs(kept())
        .env("RTEN_NUM_THREADS", "1")
        .env("RAYON_NUM_THREADS", "1")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut from = child.stdout.take().ok_or_else(|| std::io::Error::other("no pipe"))?;
    let (tell, answers) = channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        while matches!(wire::read(&mut from, wire::ANSWER, &mut answer), Ok(true)) {
            if tell.send(std::mem::take(&mut answer)).is_err() {
                return;
            }
        }
    });
    Ok((child, answers))
}

/// What the loader of the program's libraries needs.
fn kept() -> impl Iterator<Item = (&'static str, OsString)> {
    ["LD_LIBRARY_PATH"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

#[cfg(unix)]
fn out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// `SIGXCPU` on Linux.
    const PROCESSOR_TIME: i32 = 24;
    status.signal() == Some(PROCESSOR_TIME)
}

#[cfg(not(unix))]
fn out_of_time(_: ExitStatus) -> bool {
    false
}

fn out_of_memory(words: &str) -> bool {
    words.contains("memory allocation of")
}

/// What a process says is wrong.
fn fault(answer: &[u8]) -> String {
    match answer.split_first() {
        Some((&wire::FAULT, text)) => String::from_utf8_lossy(text).into_owned(),
        _ => "an answer makes no sense".into(),
    }
}

fn numbers(bytes: &[u8]) -> Option<(Vec<usize>, Vec<f32>)> {
    let (axes, mut rest) = bytes.split_first()?;
    let mut shape = Vec::new();
    for _ in 0..*axes {
        let (length, after) = rest.split_first_chunk::<4>()?;
        shape.push(u32::from_le_bytes(*length) as usize);
        rest = after;
    }
    let values: Vec<f32> = rest.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    (shape.iter().product::<usize>() == values.len()).then_some((shape, values))
}
