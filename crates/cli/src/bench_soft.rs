//! The speed of soft matter: simulated time over CPU time of one thread.

use anyhow::Result;
use cpu_time::ThreadTime;
use longarm_soft::scenes::{Act, ClothScene};
use longarm_types::Seed;

use crate::bench::{Figure, median};

/// Median rates of a few rounds.
pub(crate) fn rows(rounds: usize) -> Result<Vec<Figure>> {
    let cloths = [
        ("cloth_rtf_24_pinch", Act::Pinch, 24),
        ("cloth_rtf_24_fold", Act::Fold, 24),
        ("cloth_rtf_32_pinch", Act::Pinch, 32),
        ("cloth_rtf_32_fold", Act::Fold, 32),
    ];
    let mut rows = Vec::new();
    for (name, act, n) in cloths {
        let mut rates = Vec::new();
        for _ in 0..rounds {
            let mut scene = ClothScene::new(act, n, Seed(0))?;
            let t = ThreadTime::now();
            while !scene.done() {
                scene.advance();
            }
            rates.push(scene.duration() / t.elapsed().as_secs_f64());
        }
        rows.push(Figure { name, value: median(&mut rates), unit: "x" });
    }
    Ok(rows)
}
