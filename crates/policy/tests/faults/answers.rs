//! Answers that are not actions.

use super::*;

#[test]
fn not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        fails(
            &answering(actions(2, bad)),
            "",
            "in action 0, number 0; every number must be finite",
        );
    }
    // Finite as a double, not as a float.
    let large = wrapped(|p| Keys::Bin.f64(p, &[1e300, 0., 0., 0., 0., 0., 0.], &[1, 7]));
    fails(&answering(large), "", "too large");
    // Not among those that are executed.
    let mut data = vec![0.0; 14];
    data[13] = f64::NAN;
    let server = answering(wrapped(|p| Keys::Bin.f32(p, &data, &[2, 7])));
    assert_eq!(first_answer(&server, "execute=1").unwrap().len(), 1);
}

#[test]
fn wrong_shapes() {
    let shaped = |shape: &[usize]| {
        let data = vec![0.0; shape.iter().product()];
        answering(wrapped(|p| Keys::Bin.f32(p, &data, shape)))
    };
    fails(&shaped(&[10, 8]), "", "10 actions of 8 numbers; an action takes 7");
    fails(&shaped(&[2, 3, 7]), "", "shape (2, 3, 7)");
    fails(&shaped(&[0, 7]), "", "no action at all");
    fails(&shaped(&[]), "", "shape ()");
    fails(&shaped(&[2000, 7]), "", "a chunk of 2000 actions");
    fails(&shaped(&[4, 7]), "execute=8", "4 actions and execute=8 were asked for");
    assert_eq!(first_answer(&shaped(&[7]), "").unwrap().len(), 1);
    assert_eq!(first_answer(&shaped(&[1, 3, 7]), "").unwrap().len(), 3);
    assert_eq!(first_answer(&shaped(&[2000, 7]), "execute=9").unwrap().len(), 9);
    // Shape and data disagree.
    let lie = wrapped(|p| {
        Keys::Bin.begin(p, 4);
        p.raw(&[0; 4]);
        Keys::Bin.end(p, longarm_policy::remote::numpy::Dtype::F32, &[usize::MAX, 7]);
    });
    fails(&answering(lie), "", "4 bytes of data");
}

#[test]
fn wrong_dtypes() {
    fails(&answering(wrapped(|p| Keys::Bin.i64(p, &[0; 7], &[1, 7]))), "", "dtype <i8");
    fails(&answering(wrapped(|p| Keys::Bin.u8(p, &[0; 7], &[1, 7]))), "", "dtype |u1");
    let spelled = |dtype: &'static str| {
        answering(wrapped(move |p| {
            p.map(4);
            p.str("__ndarray__");
            p.bool(true);
            p.str("data");
            p.bin(56);
            p.raw(&[0; 56]);
            p.str("dtype");
            p.str(dtype);
            p.str("shape");
            p.array(1);
            p.uint(7);
        }))
    };
    fails(&spelled("|O"), "", "Python objects");
    fails(&spelled("|O8"), "", "Python objects");
    fails(&spelled("<c8"), "", "dtype \"<c8\"");
    fails(&spelled("|V2"), "", "dtype \"|V2\"");
    assert!(first_answer(&spelled("<f8"), "").is_ok(), "string keys are read too");
    fails(&answering(wrapped(|p| p.str("nonsense"))), "", "a string where an array should be");
    // Lists are taken when they hold numbers.
    let list = |last: fn(&mut Pack)| {
        answering(wrapped(move |p| {
            p.array(1);
            p.array(7);
            (0..6).for_each(|_| p.f64(0.5));
            last(p);
        }))
    };
    assert_eq!(first_answer(&list(|p| p.uint(1)), "").unwrap()[0].values()[6], 1.0);
    fails(&list(|p| p.str("x")), "", "an action holding a string");
}

#[test]
fn text_frames() {
    let traceback = "Traceback (most recent call last):\n  File \"serve.py\", line 3\nValueError: \
                     observation/image is missing\n";
    let server = Server::openpi(move |_, _, ws| {
        let _ = ws.send(Message::text(traceback));
        let _ = ws.close(None);
    });
    let e = first_answer(&server, "").unwrap_err();
    let said = e.to_string();
    assert_eq!(whose(&e), Whose::Policys);
    let (sentence, rest) = said.split_once('\n').expect("the traceback follows");
    assert!(
        sentence.ends_with("the server failed: ValueError: observation/image is missing"),
        "{said}"
    );
    assert_eq!(rest, traceback.trim());
    fails(&answering(Message::text("")), "", "an empty text message");
    let greets = Server::start(|_, ws| drop(ws.send(Message::text("no model loaded"))));
    gone(&greets, "", "the server failed: no model loaded");
}

#[test]
fn close_frames() {
    let server = Server::openpi(|_, _, ws| {
        let frame =
            tungstenite::protocol::CloseFrame { code: 1011.into(), reason: "out of memory".into() };
        let _ = ws.close(Some(frame));
        sleep(Duration::from_millis(200));
    });
    fails(&server, "", "closed the connection (code 1011: out of memory)");
    let server = Server::openpi(|_, _, ws| {
        let frame = tungstenite::protocol::CloseFrame { code: 1001.into(), reason: "".into() };
        let _ = ws.close(Some(frame));
        sleep(Duration::from_millis(200));
    });
    ends(&server, "", "closed the connection (code 1001)", Whose::Lost);
}

#[test]
fn rubbish_of_200_megabytes() {
    let claims = Server::openpi(|_, _, ws| {
        // The head of a frame of 200 MB is enough to be refused.
        let mut head = vec![0x82, 127];
        head.extend(200_000_000u64.to_be_bytes());
        let _ = ws.get_mut().write_all(&head);
        while ws.get_mut().write_all(&[0xc1; 1 << 16]).is_ok() {}
    });
    let start = Instant::now();
    fails(&claims, "", "a message of 200000000 bytes; at most 67108864 are taken");
    assert!(start.elapsed() < Duration::from_secs(25));
    // In fragments that are each small enough.
    let pieces = Server::openpi(|_, _, ws| {
        let mut first = 0x02;
        loop {
            let mut frame = vec![first, 127];
            frame.extend((1u64 << 18).to_be_bytes());
            frame.resize(frame.len() + (1 << 18), 0);
            first = 0x00;
            if ws.get_mut().write_all(&frame).is_err() {
                return;
            }
        }
    });
    fails(&pieces, "max-mb=1", "at most 1048576 are taken");
}

#[test]
fn invalid_msgpack() {
    fails(&answering(Message::binary(vec![0xc1])), "", "not MessagePack: byte 0xc1");
    fails(&answering(Message::binary(vec![])), "", "ends in the middle of a value");
    fails(&answering(Message::binary(vec![0x82, 0xa7])), "", "ends in the middle of a value");
    fails(&answering(Message::binary(vec![0xdf, 255, 255, 255, 255])), "", "ends in the middle");
    fails(&answering(Message::binary(vec![0x80, 0x80])), "", "1 bytes follow the value");
    fails(
        &answering(Message::binary(vec![0x81, 0xa1, b'x', 0])),
        "",
        "without \"actions\" (keys: x)",
    );
    fails(&answering(Message::binary(vec![0x05])), "", "a whole number without \"actions\"");
    let greets = Server::start(|_, ws| drop(ws.send(Message::binary(vec![0x93, 1, 2, 3]))));
    gone(&greets, "", "greeted with a list instead of a map");
}

#[test]
fn truncated_and_broken_frames() {
    let cut = Server::openpi(|_, _, ws| {
        let _ = ws.get_mut().write_all(&[0x82, 100, 1, 2, 3]);
        let _ = ws.get_mut().shutdown(std::net::Shutdown::Both);
    });
    ends(&cut, "", "closed the connection", Whose::Lost);
    let broken = Server::openpi(|_, _, ws| drop(ws.get_mut().write_all(&[0xf7, 0x85, 9, 9, 9, 9])));
    fails(&broken, "timeout=2", "does not speak WebSocket correctly");
    let not_http = Server::raw(|_, mut tcp| {
        let _ = tcp.read(&mut [0; 512]);
        let _ = tcp.write_all(b"\x00\x01\x02 rubbish\r\n\r\n");
    });
    gone(&not_http, "timeout=2", "does not speak WebSocket correctly");
    let refuses = Server::raw(|_, mut tcp| {
        let _ = tcp.read(&mut [0; 512]);
        let _ = tcp.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    });
    gone(&refuses, "timeout=2", "HTTP status 503");
}
