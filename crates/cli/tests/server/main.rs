//! The leaderboard through the real program and real HTTP.
#![cfg(feature = "server")]

#[path = "../common/mod.rs"]
mod common;

mod access;
mod cheats;
mod operation;
mod pages;
mod server;
mod whole;
