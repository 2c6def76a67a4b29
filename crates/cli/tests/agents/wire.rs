//! Agents over encrypted connections, with planners behind a socket, by the wall clock, and for money.

use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use longarm_policy::remote::msgpack::{MsgView, Pack};
use longarm_policy::remote::numpy::NdArray;
use tungstenite::{Bytes, Message};

use super::common::{command, said};
use super::{Does, Place, serve};

/// What a planner behind a socket was asked.
#[derive(Debug)]
struct Asked {
    instruction: String,
    report: usize,
    picture: Option<Vec<usize>>,
}

fn ask_of(bytes: &[u8]) -> Asked {
    let map = MsgView::parse(bytes).unwrap();
    let picture = map.get("pictures").unwrap().get("top");
    Asked {
        instruction: map.get("instruction").unwrap().as_str().unwrap().to_owned(),
        report: map.get("report").unwrap().items().unwrap().count(),
        picture: picture.map(|p| NdArray::read(&p).unwrap().shape().to_vec()),
    }
}

/// A planner that says these sentences one after the other, then that all is done; `odd` leaves them out.
fn planner(says: &'static [&'static str], odd: bool) -> (String, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let (send, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let send = send.clone();
            std::thread::spawn(move || {
                let Ok(mut ws) = tungstenite::accept(stream) else { return };
                let mut says = says.iter();
                let _ = ws.send(Message::binary(vec![0x80]));
                while let Ok(message) = ws.read() {
                    let Message::Binary(bytes) = message else { continue };
                    let _ = send.send(ask_of(&bytes));
                    let mut pack = Pack::default();
                    pack.map(1);
                    pack.str(if odd { "sentence" } else { "subtask" });
                    match says.next() {
                        Some(say) => pack.str(say),
                        None => pack.nil(),
                    }
                    let answer: Bytes = pack.take();
                    if ws.send(Message::Binary(answer)).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (url, asked)
}

#[test]
fn a_program_behind_a_socket_plans() {
    const SAYS: &[&str] = &["pick up the red block and place it on the top left area"];
    let (url, asked) = planner(SAYS, false);
    let place = Place::new("socket", "http://127.0.0.1:9/v1");
    let changes = format!("planner=socket&planner.server={url}&planner.cameras=[\"top\"]");
    let output = place.eval("run", &changes, &["--episodes", "2", "--trace-agent"]);
    assert!(output.status.success(), "{}", said(&output));
    let rows = place.rows("run");
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_ne!(row["outcome"], "policy_error", "{row}");
        assert!(row["agent"]["questions"].as_u64() >= Some(2), "{row}");
        let page = place.0.join("run").join(row["timeline"].as_str().unwrap());
        assert!(std::fs::read_to_string(page).unwrap().contains(SAYS[0]));
    }
    let first = asked.recv().unwrap();
    assert!(first.instruction.starts_with("Move all") && first.report > 2, "{first:?}");
    let shape = first.picture.unwrap();
    assert!(shape.len() == 3 && shape[2] == 3 && shape[0] > 100, "{shape:?}");
    let verified = command(&["verify", "run"]).current_dir(&place.0).output().unwrap();
    assert!(verified.status.success(), "{}", said(&verified));
    // Without pictures none are drawn, and what has no subtask is the planner's fault.
    let (url, asked) = planner(SAYS, true);
    let changes = format!("planner=socket&planner.server={url}&reporter=none");
    let odd = place.eval("odd", &changes, &["--episodes", "1"]);
    assert!(odd.status.success(), "{}", said(&odd));
    let rows = place.rows("odd");
    assert_eq!(rows[0]["outcome"], "policy_error", "{rows:?}");
    assert!(rows[0]["reason"].as_str().unwrap().contains("no \"subtask\""), "{rows:?}");
    let first = asked.recv().unwrap();
    assert!(first.picture.is_none() && first.report == 0, "{first:?}");
    // Nobody there: the run stops and can be resumed.
    let away = "planner=socket&planner.server=ws://127.0.0.1:9?reconnect=0";
    let stopped = place.eval("away", away, &["--episodes", "1"]);
    assert!(!stopped.status.success(), "{}", said(&stopped));
    assert!(said(&stopped).contains("--resume runs the rest"), "{}", said(&stopped));
    assert!(place.rows("away").is_empty());
}

#[test]
fn a_run_by_the_wall_clock_says_that_it_does_not_reproduce() {
    let place = Place::new("wall", &serve(|_| Does::Answers).0);
    let output = place.eval("run", "clock.planner=wall", &["--episodes", "1"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("does not reproduce"), "{}", said(&output));
    let read = |file: &str| std::fs::read_to_string(place.0.join("run").join(file)).unwrap();
    assert!(read("run.toml").contains("reproduces = false"));
    assert!(read("report.html").contains("its decisions do not"));
    let verify = |run: &str| command(&["verify", run]).current_dir(&place.0).output().unwrap();
    let verified = verify("run");
    assert!(verified.status.success(), "{}", said(&verified));
    assert!(said(&verified).contains("note: ") && said(&verified).contains("wall clock"));
    // By the virtual clock nobody is warned.
    let output = place.eval("virtual", "clock.planner=1", &["--episodes", "1"]);
    assert!(output.status.success() && !said(&verify("virtual")).contains("note: "));
    assert!(
        !std::fs::read_to_string(place.0.join("virtual/run.toml")).unwrap().contains("reproduces")
    );
}

#[test]
fn money_is_counted_by_the_users_price_and_kept_on_the_cassette() {
    let (url, _) = serve(|_| Does::Answers);
    let place = Place::new("money", &url);
    let tape = "planner.cassette.file=tape.jsonl&planner.cassette.mode=";
    let poor = format!("planner.budget.money=0.1&{tape}");
    let output = place.eval("unpriced", &format!("{poor}auto"), &["--episodes", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("price = {"), "{}", said(&output));
    // 80 tokens asked and 20 answered: 0.08 + 0.04.
    place.endpoint_with(&url, "price = { input = 1000.0, output = 2000.0 }\n");
    let output = place.eval("recorded", &format!("{poor}auto"), &["--episodes", "1"]);
    assert!(output.status.success(), "{}", said(&output));
    let rows = place.rows("recorded");
    let reason = rows[0]["reason"].as_str().unwrap();
    assert!(reason.contains("over budget: 1 calls and 100 tokens for 0.1200"), "{reason}");
    assert_eq!(rows[0]["agent"]["pace"]["millionths"], 120_000, "{rows:?}");
    // What it cost is known without the endpoint.
    std::fs::remove_file(place.0.join("user/endpoints.toml")).unwrap();
    let output = place.eval("replayed", &format!("{poor}replay"), &["--episodes", "1"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(place.rows("replayed"), rows);
}

#[cfg(feature = "wss")]
mod encrypted {
    use std::io::Write;
    use std::sync::Arc;

    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
    use rustls::crypto::ring::default_provider;
    use rustls::pki_types::PrivatePkcs8KeyDer;
    use rustls::{ServerConfig, ServerConnection, StreamOwned};

    use super::super::{answer, folder};
    use super::*;

    /// A model behind TLS, and its certificate as PEM.
    fn serve_encrypted(name: &str) -> (u16, String) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pair = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&pair).unwrap();
        let key = PrivatePkcs8KeyDer::from(pair.serialize_der()).into();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                let session = ServerConnection::new(config.clone()).unwrap();
                let mut stream = StreamOwned::new(session, tcp);
                let _ = answer(&mut stream, &Does::Answers);
                stream.conn.send_close_notify();
                let _ = stream.conn.complete_io(&mut stream.sock);
            }
        });
        (port, certificate.pem())
    }

    #[test]
    fn a_model_behind_tls_is_asked_only_if_it_is_trusted() {
        let (port, certificate) = serve_encrypted("localhost");
        let place = Place::new("tls", "http://127.0.0.1:9/v1");
        std::fs::write(place.0.join("user/own.pem"), &certificate).unwrap();
        let url = format!("https://localhost:{port}/v1");
        place.endpoint_with(&url, "ca = \"own.pem\"\n");
        let output = place.eval("run", "", &["--episodes", "1"]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(place.rows("run")[0]["outcome"], "task_failure");
        place.no_key(&output);
        // Nobody vouches for it; it is for another name; it does not speak TLS.
        let refused = |run: &str, url: &str, more: &str, why: &str| {
            place.endpoint_with(url, more);
            let output = place.eval(run, "", &["--episodes", "1"]);
            assert!(!output.status.success() && said(&output).contains(why), "{}", said(&output));
            assert!(place.rows(run).is_empty());
            place.no_key(&output);
        };
        refused("stranger", &url, "", "not trusted");
        let other = format!("https://127.0.0.1:{port}/v1");
        refused("other", &other, "ca = \"own.pem\"\n", "not for 127.0.0.1");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let plain = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            for mut tcp in listener.incoming().flatten() {
                let _ = tcp.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        refused("plain", &plain, "ca = \"own.pem\"\n", "does not speak TLS");
        let empty = folder("agents-tls-empty").join("none.pem");
        let more = format!("ca = {empty:?}\n");
        place.endpoint_with(&url, &more);
        let output = place.eval("no-file", "", &["--episodes", "1"]);
        assert!(said(&output).contains("cannot read the certificates"), "{}", said(&output));
    }
}
