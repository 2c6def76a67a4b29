//! Servers that are slow, lost, or answer out of turn.

use super::*;

#[test]
fn slow() {
    let server = Server::openpi(|_, _, _| sleep(Duration::from_secs(30)));
    let start = Instant::now();
    fails(&server, "timeout=0.3", "no answer within 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn the_first_answer_may_take_longer() {
    // Compiles at the first question, hangs at the third.
    let server = Server::openpi(|connection, question, ws| {
        match (connection, question) {
            (0, 0) => sleep(Duration::from_millis(700)),
            (0, 2) => sleep(Duration::from_secs(30)),
            _ => {}
        }
        let _ = ws.send(actions(1, 0.0));
    });
    let mut policy = remote(server.port, "timeout=0.3&first-timeout=20");
    assert!(one_episode(&mut policy).is_ok());
    assert!(policy.act(&observation(), &mut Decision::default()).is_ok());
    let said = policy.act(&observation(), &mut Decision::default()).unwrap_err().to_string();
    assert!(said.contains("no answer within 0.3 s"), "{said}");
}

#[test]
fn slow_handshakes() {
    let start = Instant::now();
    // Accepts and says nothing; upgrades and says nothing.
    gone(&Server::raw(|_, _tcp| sleep(Duration::from_secs(30))), "timeout=0.3", "no answer");
    gone(&Server::start(|_, _| sleep(Duration::from_secs(30))), "timeout=0.3", "no answer");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn trickling_bytes_do_not_stretch_the_limit() {
    let server = Server::openpi(|_, _, ws| {
        // A frame of 1000 bytes, one every 50 ms.
        let _ = ws.get_mut().write_all(&[0x82, 126, 3, 232]);
        while ws.get_mut().write_all(&[0]).is_ok() {
            sleep(Duration::from_millis(50));
        }
    });
    let start = Instant::now();
    fails(&server, "timeout=0.4", "no answer within 0.4 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn pings_do_not_stretch_the_limit() {
    let server = Server::openpi(|_, _, ws| {
        while ws.get_mut().write_all(&[0x89, 0]).is_ok() {
            sleep(Duration::from_millis(2));
        }
    });
    let start = Instant::now();
    fails(&server, "timeout=0.4", "no answer within 0.4 s");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_server_that_does_not_read() {
    let server = Server::start(|_, ws| {
        let _ = ws.send(Message::binary(vec![0x80]));
        sleep(Duration::from_secs(30));
    });
    let mut remote = remote(server.port, "timeout=0.5&size=4096");
    let start = Instant::now();
    let said = one_episode(&mut remote).unwrap_err().to_string();
    assert!(said.contains("no answer within 0.5 s"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn dies_in_mid_episode_and_comes_back() {
    let server = Server::openpi(|connection, question, ws| {
        if connection == 0 && question == 1 {
            let _ = ws.get_mut().shutdown(std::net::Shutdown::Both);
        } else {
            let _ = ws.send(actions(1, 0.0));
        }
    });
    let mut remote = remote(server.port, "");
    assert!(one_episode(&mut remote).is_ok());
    let mut decision = Decision::default();
    let e = remote.act(&observation(), &mut decision).unwrap_err();
    assert!(e.to_string().contains("closed the connection"), "{e}");
    assert_eq!(whose(&e), Whose::Lost);
    // Without a new episode there is no way back.
    let said = remote.act(&observation(), &mut decision).unwrap_err().to_string();
    assert!(said.contains("an episode must begin first"), "{said}");
    assert!(one_episode(&mut remote).is_ok(), "the next episode connects again");
}

#[test]
fn an_exception_counts_only_if_the_server_lives_on() {
    // One connection, one question, then nobody.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut ws = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        drop(listener);
        ws.send(Message::binary(vec![0x80])).unwrap();
        support::next_data(&mut ws);
        let _ = ws.send(Message::text("Traceback:\n  line 3\nMemoryError: too large"));
    });
    let e = one_episode(&mut remote(port, "reconnect=0.5")).unwrap_err();
    server.join().unwrap();
    assert_eq!(whose(&e), Whose::Gone);
    for words in ["MemoryError: too large", "nothing listens there", "for 0.5 s", "\n  line 3\n"] {
        assert!(e.to_string().contains(words), "{e}");
    }
}

#[test]
fn a_lost_server_is_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut policy = remote(port, "reconnect=20");
    let late = std::thread::spawn(move || {
        sleep(Duration::from_millis(1500));
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let mut ws = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        ws.send(Message::binary(vec![0x80])).unwrap();
        support::next_data(&mut ws);
        let _ = ws.send(actions(1, 0.5));
        support::next_data(&mut ws)
    });
    assert_eq!(one_episode(&mut policy).unwrap().len(), 1);
    drop(policy);
    late.join().unwrap();
}

#[test]
fn late_replies_are_never_taken_for_another_answer() {
    // The first answer of the first connection comes late, marked 0.9; all others are 0.1.
    let server = Server::openpi(|connection, question, ws| {
        if (connection, question) == (0, 0) {
            sleep(Duration::from_millis(600));
            let _ = ws.send(actions(1, 0.9));
        } else {
            let _ = ws.send(actions(1, 0.1));
        }
    });
    let mut remote = remote(server.port, "timeout=0.3");
    assert!(one_episode(&mut remote).unwrap_err().to_string().contains("no answer"));
    for _ in 0..10 {
        assert_eq!(one_episode(&mut remote).unwrap()[0].values()[0], 0.1);
        sleep(Duration::from_millis(60));
    }
}

#[test]
fn two_answers_to_one_question() {
    let server = Server::openpi(|_, _, ws| {
        let _ = ws.send(actions(1, 0.1));
        let _ = ws.send(actions(1, 0.9));
    });
    let mut remote = remote(server.port, "");
    assert!(one_episode(&mut remote).is_ok());
    sleep(Duration::from_millis(100));
    let said = remote.act(&observation(), &mut Decision::default()).unwrap_err().to_string();
    assert!(said.contains("nobody had asked for"), "{said}");
}
