use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use anyhow::{Result, bail};
use longarm_policy::RemoteSpec;
use longarm_server::client::Client;

/// Pause before a leaderboard that does not answer is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Where a policy is on this side.
#[derive(Clone)]
pub(crate) struct Here(String);

/// Read where a policy is.
pub(crate) fn address(policy: &str) -> Result<Here> {
    let spec: RemoteSpec = policy.parse()?;
    match spec.addresses.as_slice() {
        [one] if !one.tls => Ok(Here(one.authority())),
        [_] => {
            bail!("{policy}: give the address without encryption; it is reached from this machine")
        }
        _ => bail!("{policy}: give one address"),
    }
}

/// Answer a leaderboard's questions with a policy's answers, from now until this program ends.
pub(crate) fn answer(client: &Client, id: &str, here: Here) {
    let (client, path) = (client.clone(), format!("/api/submissions/{id}/policy"));
    std::thread::spawn(move || {
        loop {
            match client.tunnel(&path) {
                Ok(theirs) => wait(theirs, &here),
                // It is over.
                Err(e) if e.status == Some(409) => return,
                Err(e) => {
                    tracing::warn!(why = %e, "no connection to the leaderboard");
                    std::thread::sleep(PAUSE);
                }
            }
        }
    });
}

/// Wait for the first question; the policy answers this and all that follow while others wait.
fn wait(mut theirs: TcpStream, here: &Here) {
    let mut first = [0; 4096];
    let n = match theirs.read(&mut first) {
        Ok(n) if n > 0 => n,
        _ => return std::thread::sleep(PAUSE),
    };
    let here = here.clone();
    std::thread::spawn(move || {
        let carried = || -> std::io::Result<()> {
            let mut ours = TcpStream::connect(&here.0)?;
            ours.set_nodelay(true)?;
            ours.write_all(&first[..n])?;
            let (from, to) = (theirs.try_clone()?, ours.try_clone()?);
            std::thread::spawn(move || carry(from, to));
            carry(ours, theirs);
            Ok(())
        };
        if let Err(e) = carried() {
            tracing::warn!(policy = here.0, why = %e, "the policy does not answer");
        }
    });
}

/// Carry bytes one way until one side ends; then both end.
fn carry(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
