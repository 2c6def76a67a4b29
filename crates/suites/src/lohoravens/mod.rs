//! LoHoRavens: forty tabletop rearrangements with a suction arm.
//!
//! One row per task (`rows.rs`). A row names a family and its parameters; the family draws, from a
//! seed, the objects, their colours and places, what counts and how it is done. Every instance can be
//! solved: nothing is selected that is not there, towers are low enough, and whatever must be put
//! somewhere has a place kept free for it.

mod arithmetic;
mod bowl;
mod draft;
mod hidden;
mod layout;
mod moving;
mod palette;
mod paraphrase;
mod published;
mod row;
mod rows;
mod shape;
mod stack;

pub use palette::Mode;

use std::sync::LazyLock;

use longarm_types::protocol::{Matrix, StepUnit};
use longarm_types::{Protocol, SeedRange, Splits};

use crate::{Family, Prompts, Suite, Table};
use paraphrase::WORDING;
use row::{Capability, SEEN, UNSEEN};
use rows::ROWS;

/// The suite.
pub const SUITE: Suite = Suite {
    benchmarks: &[
        "lohoravens/stack-blocks-of-same-color",
        "lohoravens/put-block-into-matching-bowl",
        "lohoravens/build-concentric-circles",
    ],
    options: &[WORDING],
    prompts: Some(Prompts {
        planner: include_str!("prompts/planner.md"),
        reporter: include_str!("prompts/reporter.md"),
    }),
    ..Suite::new(
        "lohoravens",
        "LoHoRavens: forty tabletop rearrangements, on a UR5e with suction",
        Table::Family(Family {
            ids: || {
                static IDS: LazyLock<Vec<String>> =
                    LazyLock::new(|| ROWS.iter().map(|r| r.id.to_owned()).collect());
                &IDS
            },
            task: |id| ROWS.iter().find(|r| r.id == id).map(row::task),
        }),
        protocol,
    )
};

/// Where the test seeds begin.
const TEST: u64 = 10_001;

/// Seeds by parity; a step is a whole pick and place.
fn protocol() -> Protocol {
    Protocol {
        title: "LoHoRavens".to_owned(),
        episodes: 50,
        step: StepUnit::Action,
        splits: Splits {
            train: SeedRange::from(0).every(2),
            validation: SeedRange::between(1, TEST - 2).every(2),
            test: SeedRange::from(TEST).every(2),
        },
        matrix: Some(Matrix {
            heading: "capabilities".to_owned(),
            columns: Capability::ALL.iter().map(|c| c.name().to_owned()).collect(),
            parts: vec![SEEN.to_owned(), UNSEEN.to_owned()],
        }),
        published: Some(published::published()),
        ..Protocol::default()
    }
}
