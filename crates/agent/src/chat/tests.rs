//! The client against a server of our own.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;

use super::*;

/// Serve these answers, one per connection; requests come out of the channel.
fn serve(answers: Vec<Vec<u8>>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (send, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            loop {
                let n = stream.read(&mut part).unwrap_or(0);
                request.extend_from_slice(&part[..n]);
                let text = String::from_utf8_lossy(&request);
                let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                    let length = head.lines().find_map(|l| l.strip_prefix("Content-Length: "));
                    length.is_some_and(|n| body.len() >= n.parse().unwrap())
                });
                if n == 0 || whole {
                    break;
                }
            }
            let _ = send.send(String::from_utf8_lossy(&request).into_owned());
            let _ = stream.write_all(&answer);
        }
    });
    (url, requests)
}

fn reply(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn said(text: &str) -> Vec<u8> {
    let body = json!({
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"total_tokens": 7},
    });
    reply("200 OK", &body.to_string())
}

fn spec(endpoint: &str) -> ChatSpec {
    let text = format!("endpoint = \"{endpoint}\"\nmodel = \"tiny\"\ndeadline = 2");
    toml::from_str(&text).unwrap()
}

fn question() -> Ask<'static> {
    Ask { system: "plan", text: "what now?", pictures: &[], schema: json!({"type": "object"}) }
}

#[test]
fn a_model_is_asked_with_a_schema_and_pictures() {
    let (url, requests) = serve(vec![said("{\"done\": true}")]);
    let mut client = Client::new(&spec(&url)).unwrap();
    let pictures = [vec![1, 2, 3]];
    let answer = client.ask(&Ask { pictures: &pictures, ..question() }).unwrap();
    assert_eq!(answer, json!({"done": true}));
    let request = requests.recv().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(body["messages"][1]["content"][0]["text"], "what now?");
    let picture = &body["messages"][1]["content"][1]["image_url"]["url"];
    assert_eq!(picture, "data:image/png;base64,AQID");
}

#[test]
fn what_a_server_does_is_told_apart() {
    let fault = |answers: Vec<Vec<u8>>| {
        let (url, _requests) = serve(answers);
        Client::new(&spec(&url)).unwrap().ask(&question()).unwrap_err()
    };
    let counts = |e: &PolicyError| matches!(e, PolicyError::Fault(_));
    for (answers, want, is_fault) in [
        (vec![said("I will pick the red block")], "did not answer with JSON", true),
        (vec![reply("200 OK", "<html>")], "not JSON", true),
        (vec![reply("200 OK", "{}")], "choices", true),
        (vec![b"nonsense".to_vec()], "not HTTP", true),
        (vec![reply("400 Bad Request", "no such model")], "no such model", true),
        (vec![reply("401 Unauthorized", "bad key")], "401", false),
        (vec![reply("429 Too Many", "insufficient_quota")], "insufficient_quota", false),
        (vec![reply("302 Found", "")], "redirects are not followed", false),
    ] {
        let e = fault(answers);
        assert!(e.to_string().contains(want) && counts(&e) == is_fault, "{want}: {e:?}");
    }
    let mut long = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    long.resize(MOST + 100_000, b'x');
    assert!(fault(vec![long]).to_string().contains("longer than"));
    let nobody = Client::new(&spec("http://127.0.0.1:9/v1")).unwrap().ask(&question());
    assert!(matches!(nobody, Err(PolicyError::Unavailable(_))), "{nobody:?}");
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let busy = b"HTTP/1.1 429 Slow\r\nRetry-After: 0.01\r\nContent-Length: 0\r\n\r\n".to_vec();
    let (url, _requests) =
        serve(vec![busy, reply("503 Later", ""), said("```json\n{\"done\": false}\n```")]);
    let answer = Client::new(&spec(&url)).unwrap().ask(&question()).unwrap();
    assert_eq!(answer, json!({"done": false}));
}

#[test]
fn recorded_answers_are_replayed_without_a_server() {
    let file = std::env::temp_dir().join(format!("longarm-cassette-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let (url, requests) = serve(vec![said("{\"done\": true}")]);
    let cassette = |mode| Some(CassetteSpec { file: file.clone(), mode });
    let recording = ChatSpec { cassette: cassette(CassetteMode::Record), ..spec(&url) };
    let mut client = Client::new(&recording).unwrap();
    let first = client.ask(&question()).unwrap();
    // The same question is not asked twice in a run.
    assert_eq!(client.ask(&question()).unwrap(), first);
    assert_eq!(requests.iter().count(), 1);
    let replaying = ChatSpec { cassette: cassette(CassetteMode::Replay), ..spec("nowhere") };
    let mut client = Client::new(&replaying).unwrap();
    assert_eq!(client.ask(&question()).unwrap(), first);
    let miss = client.ask(&Ask { text: "and now?", ..question() }).unwrap_err();
    assert!(matches!(&miss, PolicyError::Unavailable(_)), "{miss:?}");
    assert!(miss.to_string().contains("no answer to request"), "{miss}");
    // What was edited is not believed.
    let text = std::fs::read_to_string(&file).unwrap().replace("what now?", "what then?");
    let edited = file.with_extension("edited");
    std::fs::write(&edited, text).unwrap();
    let spec = CassetteSpec { file: edited.clone(), mode: CassetteMode::Replay };
    assert!(Cassette::open(&spec).unwrap_err().contains("its key is not that of its request"));
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&edited).unwrap();
}

#[test]
fn a_budget_is_kept() {
    let (url, _requests) = serve(vec![said("{}"), said("{}")]);
    let budget = Budget { calls: 9, tokens: 7, money: None };
    let mut client = Client::new(&ChatSpec { budget, ..spec(&url) }).unwrap();
    client.ask(&question()).unwrap();
    let e = client.ask(&question()).unwrap_err();
    assert!(matches!(&e, PolicyError::Fault(why) if why.starts_with("over budget")), "{e:?}");
    client.begin();
    client.ask(&question()).unwrap();
}

#[test]
fn json_is_found_behind_thoughts_and_in_prose() {
    for text in [
        "{\"done\": true}",
        "<think>{no}</think>\n{\"done\": true}",
        "```json\n{\"done\": true}\n```",
        "Sure: {\"done\": true}. Anything else?",
    ] {
        assert_eq!(read(text), Some(json!({"done": true})), "{text}");
    }
    for text in ["", "[1]", "{", "} {", "done"] {
        assert_eq!(read(text), None, "{text}");
    }
}
