//! One line of text describes a remote policy, or says what is wrong with it.

use std::time::Duration;

use longarm_policy::{
    RemoteSpec,
    remote::{DialectName, Execute, PresetName},
};

fn parse(text: &str) -> RemoteSpec {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn whole() {
    let s = parse("openpi:gpu1:8001,[::1]:9000,gpu2?preset=libero&execute=8&timeout=30&max-mb=128");
    assert_eq!((s.dialect, s.preset), (DialectName::OpenPi, PresetName::GripSite));
    let hosts: Vec<_> = s.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["gpu1:8001", "[::1]:9000", "gpu2:8000"]);
    assert_eq!(s.execute, Some(Execute::Exactly(8)));
    assert_eq!((s.timeout, s.first_timeout), (Duration::from_secs(30), Duration::from_secs(30)));
    assert_eq!(s.max_message, 128 << 20);
}

#[test]
fn defaults() {
    let s = parse("roboarena:ws://localhost:8000/");
    assert_eq!((s.dialect, s.preset), (DialectName::RoboArena, PresetName::Droid));
    assert_eq!((s.timeout, s.first_timeout), (Duration::from_secs(60), Duration::from_secs(600)));
    assert_eq!((s.max_message, s.retries), (64 << 20, 5));
    assert_eq!(s.to_string(), "roboarena:ws://localhost:8000/");
}

#[test]
fn urls() {
    let s = parse("ws://gpu1:8000/v1/pi0/?header.X-Model=pi0&reconnect=0");
    assert_eq!(
        (s.dialect, s.addresses[0].to_string()),
        (DialectName::OpenPi, "gpu1:8000/v1/pi0".into())
    );
    assert_eq!(s.headers, [("X-Model".to_owned(), "pi0".to_owned())]);
    assert_eq!(s.reconnect, Duration::ZERO);
    let s = parse("vla-eval:ws://[::1]/a,gpu2/b");
    let hosts: Vec<_> = s.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["[::1]:8000/a", "gpu2:8000/b"]);
}

#[test]
#[cfg(feature = "wss")]
fn encrypted() {
    let s = parse("wss://gpu1/v1?ca=ca.pem");
    assert_eq!(
        (s.dialect, s.addresses[0].to_string()),
        (DialectName::OpenPi, "wss://gpu1:443/v1".into())
    );
    assert_eq!(s.ca.as_deref(), Some(std::path::Path::new("ca.pem")));
    let s = parse("vla-eval:wss://[::1]:8443,ws://gpu2");
    let hosts: Vec<_> = s.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["wss://[::1]:8443", "gpu2:8000"]);
}

#[test]
#[cfg(not(feature = "wss"))]
fn a_build_without_encryption_says_so() {
    for text in ["openpi:wss://host:1", "wss://host/v1"] {
        let said = text.parse::<RemoteSpec>().unwrap_err().to_string();
        assert!(said.contains("--features wss") && said.contains("forward the port"), "{said}");
    }
}

#[test]
fn mistakes_are_explained() {
    for (text, want) in [
        ("openpy:localhost:8000", "no dialect \"openpy\"; did you mean openpi?"),
        ("zmq:localhost:8000", "there are openpi, vla-eval, roboarena, behavior"),
        ("openpi", "is not DIALECT:HOST:PORT"),
        ("openpi:", "the host is missing"),
        ("openpi:host:0", "the port is a number from 1 to 65535"),
        ("openpi:host:99999", "the port is a number"),
        ("openpi:a b:1", "malformed"),
        ("https://host/v1", "no dialect"),
        ("openpi:https://host/v1", "begins with ws:// or wss://"),
        ("openpi:h?ca=ca.pem", "ca concerns encrypted connections"),
        ("ws://host/a b", "the path has characters"),
        ("openpi:h?header.Authorization=x", "header-file.Authorization"),
        ("openpi:h?header.a:b=x", "is not a name of a header"),
        ("openpi:h?header.X=\u{7}", "printable ASCII"),
        ("openpi:h?reconnect=-1", "from above 0 to a week"),
        ("openpi:h?preset=librero", "did you mean libero?"),
        ("vla-eval:h?preset=aloha", "there are longarm, libero"),
        ("openpi:h?excute=3", "no option \"excute\"; did you mean execute?"),
        ("openpi:h?execute=0", "execute takes 1 to 1024"),
        ("openpi:h?execute=x", "a number of actions or all"),
        ("openpi:h?timeout=0", "from above 0 to a week"),
        ("openpi:h?timeout=nan", "from above 0 to a week"),
        ("openpi:h?timeout=1e300", "from above 0 to a week"),
        ("openpi:h?timeout=1&timeout=2", "timeout is given twice"),
        ("openpi:h?preset", "is not OPTION=VALUE"),
        ("openpi:h?gripper=close_positiv", "did you mean close-positive?"),
        ("openpi:h?size=0", "1 to 4096 pixels"),
        ("openpi:h?preset=libero&camera.observation/imag=top", "did you mean observation/image?"),
        ("openpi:h?camera.x=top", "every camera is sent under its own name"),
    ] {
        let said = text.parse::<RemoteSpec>().unwrap_err().to_string();
        assert!(said.contains(want), "{text}: {said:?} does not say {want:?}");
    }
}
