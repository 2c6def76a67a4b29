use anyhow::{Result, bail};
use longarm_policy::RemoteSpec;
use longarm_server::client::Client;

/// Where a policy is on this side.
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
        if let Err(e) = client.answer(&path, &here.0) {
            tracing::error!(why = %e, "the policy cannot be asked");
        }
    });
}
