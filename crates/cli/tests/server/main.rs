//! The leaderboard through the real program and real HTTP.
#![cfg(feature = "server")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../policy/tests/support/mod.rs"]
mod support;

mod access;
mod browser;
mod cheats;
#[cfg(feature = "onnx")]
mod checkpoint;
mod dial_out;
mod encrypted;
mod fuzzed;
mod hosted;
mod killed;
mod limits;
#[cfg(feature = "onnx")]
mod models;
mod operation;
mod pages;
mod postgres;
mod server;
mod store;
mod whole;
mod workers;
