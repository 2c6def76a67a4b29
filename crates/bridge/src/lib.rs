//! The protocol between an operator console and a lab's arm, and a bridge around the simulator.
//!
//! A bridge is a WebSocket server of the lab's that drives the arm: it says what the arm is ([`Hello`]), sends what
//! is seen, takes actions, and halts: when it is told to, and when it has heard nothing for its watchdog's
//! time. `docs/guide/bridge.md` describes every message for somebody who writes one.

mod hello;
mod message;
mod picture;
mod sim;

pub use hello::{BridgeCamera, BridgeLimb, Hello, Spoken};
pub use message::{
    FromBridge, HaltedBy, PROTOCOL, PictureHead, Refused, Seen, Stopped, ToBridge, VERSION,
    WireError, decode, encode,
};
pub use picture::{observation, seen};
pub use sim::{BridgeError, Late, SimBridge, SimOptions};
