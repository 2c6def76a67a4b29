//! The leaderboard through the real program and real HTTP.
#![cfg(feature = "server")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../policy/tests/support/mod.rs"]
mod support;

mod access;
mod cheats;
mod dial_out;
mod hosted;
mod killed;
mod operation;
mod pages;
mod server;
mod whole;
mod workers;
