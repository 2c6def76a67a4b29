//! Statistics: every number with its interval, every comparison with its test.
//!
//! | question | answer |
//! |---|---|
//! | how good is it on one task? | [`wilson`], or [`clopper_pearson`] on request |
//! | how good is it on a suite? | [`Bootstrap::stratified_mean`] for scores, [`mean_of_proportions`] for success |
//! | is A better than B on the same seeds? | [`mcnemar_exact`], [`Bootstrap::stratified_mean`] of the differences |
//! | may I look while it runs? | [`BettingMean`], [`SequentialComparison`] |
//! | which of many differ? | [`holm`], then [`letters`] |
//!
//! Nothing here reads a clock or an unseeded generator, and all transcendental functions come from
//! `libm`, so that equal rows give equal bytes on every machine.

mod bootstrap;
mod interval;
mod letters;
mod paired;
mod sequential;
mod special;

pub use bootstrap::{Bootstrap, BootstrapMethod};
pub use interval::{Interval, Moments, clopper_pearson, mean_of_proportions, quantile, wilson};
pub use letters::{holm, letters};
pub use paired::{PairCounts, mcnemar_exact, p_value_text};
pub use sequential::{BettingMean, SequentialComparison, Verdict};
pub use special::{beta_inc, beta_inc_inv, normal_cdf, normal_quantile};
