//! What a question to a remote policy costs beyond the policy itself: two cameras of 224×224, an
//! instant server on loopback.
//!
//! `cargo run --release -p longarm-policy --example latency [CALLS] [SPEC]`, where SPEC is a server
//! that is already running, such as `openpi:localhost:8000?preset=libero`. `latency serve` is the instant
//! server alone: it prints its port and answers until its standard input closes.

use std::{error::Error, net::TcpListener, time::Instant};

use longarm_policy::{
    Decision, EpisodeInfo, Policy, Remote, RemoteSpec,
    remote::{msgpack::Pack, numpy::Keys},
};
use longarm_types::{
    ActionSpec, CameraImage, Observation, ObservationSpec, ObservedLimb, Pose, Proprioception, Seed,
};
use tungstenite::Message;

/// Answers everything at once with a chunk of ten actions.
fn instant_server() -> std::io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        let mut pack = Pack::default();
        pack.map(1);
        pack.str("actions");
        Keys::Bin.f32(&mut pack, &[0.0; 70], &[10, 7]);
        let answer = pack.take();
        for tcp in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let _ = tcp.set_nodelay(true);
                let Ok(mut ws) = tungstenite::accept(tcp) else { return };
                let _ = ws.send(Message::binary(vec![0x80]));
                while let Ok(message) = ws.read() {
                    if message.is_binary() && ws.send(Message::Binary(answer.clone())).is_err() {
                        return;
                    }
                }
            });
        }
    });
    Ok(port)
}

fn observation(side: usize) -> Observation {
    let camera = |name: &str| CameraImage {
        name: name.into(),
        width: side,
        height: side,
        rgb: (0..side * side * 3).map(|i| ((i * 7919) >> 3) as u8).collect(),
        ..CameraImage::default()
    };
    Observation {
        instruction: "put the bowl on the plate".into(),
        limbs: vec![Proprioception::new(7)],
        cameras: vec![camera("agentview"), camera("wrist")],
        ..Observation::default()
    }
}

fn measure(name: &str, spec: &RemoteSpec, side: usize, calls: usize) -> Result<(), Box<dyn Error>> {
    let mut remote = Remote::connect(spec)?;
    let observation = observation(side);
    let episode = EpisodeInfo {
        task: "longbench/stack-block".parse()?,
        instruction: observation.instruction.clone(),
        action: ActionSpec::tool_delta(&["arm"]),
        observation: ObservationSpec {
            limbs: vec![ObservedLimb {
                name: "arm".to_owned(),
                joints: 7,
                base: Pose::IDENTITY,
                finger_travel: None,
                hand_joints: 0,
                rides: false,
            }],
            ..ObservationSpec::default()
        },
        policy_seed: Seed(0),
    };
    let start = Instant::now();
    remote.begin_episode(&episode)?;
    remote.begin_episode(&episode)?;
    let begin = start.elapsed().as_secs_f64() * 1e3;
    let mut decision = Decision::default();
    let mut times = Vec::with_capacity(calls);
    for i in 0..calls + 50 {
        decision.clear();
        let start = Instant::now();
        remote.act(&observation, &mut decision)?;
        if i >= 50 {
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / calls as f64;
    let at = |q: f64| times[((calls - 1) as f64 * q) as usize];
    println!(
        "{name:34} median {:.3} ms  p99 {:.3} ms  mean {mean:.3} ms  {:.0} calls/s  begin {begin:.2} ms",
        at(0.5),
        at(0.99),
        1e3 / mean
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let first = words.next();
    if first.as_deref() == Some("serve") {
        println!("{}", instant_server()?);
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
        return Ok(());
    }
    let calls = first.map_or(Ok(2000), |w| w.parse())?;
    if let Some(spec) = words.next() {
        return measure(&spec, &spec.parse()?, 224, calls);
    }
    let port = instant_server()?;
    let spec = |options: &str| format!("openpi:127.0.0.1:{port}{options}").parse::<RemoteSpec>();
    measure("longarm, 2 × 224×224 as they are", &spec("")?, 224, calls)?;
    measure("libero, 2 × 224×224 mirrored", &spec("?preset=libero")?, 224, calls)?;
    measure("libero, 2 × 256×256 resized to 224", &spec("?preset=libero")?, 256, calls)?;
    Ok(())
}
