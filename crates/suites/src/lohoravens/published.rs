//! Tables 2, 3 and 4 of the paper.

use longarm_types::protocol::{Published, PublishedRow};

const SOURCE: &str = "LoHoRavens, Tables 2 to 4: language models as planner (P) or as planner and reporter (P & R) \
                      over an actor that learned primitives, on ten hard tasks, 100 instances each (Table 3), and \
                      the share of wrong outputs of each part over 10 failed instances (Table 4, which calls them \
                      precision; its values fit error rates). Other physics, other actor.";

/// Name of the mean over the ten tasks of Table 2.
const TEN: &str = "ten hard tasks";

/// The ten hard tasks: score of the baseline, then score and success of GPT-4o as P and as P & R.
#[rustfmt::skip]
const TABLE_3: [(&str, [f64; 5]); 10] = [
    ("move-blocks-between-absolute-positions", [20.30, 48.58, 14.0, 16.79, 1.0]),
    ("move-blocks-between-absolute-positions-by-size", [20.20, 37.62, 10.0, 16.55, 0.0]),
    ("move-blocks-between-absolute-positions-by-color", [25.20, 38.36, 7.0, 17.40, 0.0]),
    ("move-blocks-between-absolute-positions-by-size-and-color", [18.50, 31.53, 3.0, 16.51, 1.0]),
    ("put-even-blocks-in-same-color-zone", [8.70, 78.81, 67.0, 0.31, 0.0]),
    ("stack-blocks-by-absolute-position-and-color-in-size-order", [0.0, 4.67, 4.0, 0.0, 0.0]),
    ("put-hidden-blocks-in-three-layer-towers-into-matching-bowls", [0.0, 0.02, 0.0, 0.03, 0.0]),
    ("put-hidden-blocks-in-pyramid-into-matching-bowls", [0.0, 0.01, 0.0, 0.0, 0.0]),
    ("build-concentric-circles", [0.0; 5]),
    ("build-rectangle-on-zone", [0.0; 5]),
];

/// Score and success on the ten tasks, as P and as P & R.
const TABLE_2: [(&str, [[f64; 2]; 2]); 5] = [
    ("GPT-4o", [[23.96, 10.50], [6.76, 0.2]]),
    ("GPT-4o-mini", [[23.41, 7.70], [7.04, 0.4]]),
    ("Gemini 2.0 Flash", [[25.20, 10.30], [8.97, 1.1]]),
    ("Qwen-2.5-VL-7B", [[11.63, 2.80], [3.41, 0.1]]),
    ("Qwen-2.5-VL-72B", [[13.11, 4.17], [3.50, 0.1]]),
];

/// Parts of GPT-4o-mini: planner and actor as P; planner, actor and reporter as P & R.
type Errors = ([Option<f64>; 2], [Option<f64>; 3]);

#[rustfmt::skip]
const TABLE_4: [(&str, Errors); 5] = [
    ("move-blocks-between-absolute-positions-by-color",
        ([Some(58.1), Some(35.8)], [Some(68.5), Some(37.5), Some(60.7)])),
    ("move-blocks-between-absolute-positions-by-size-and-color",
        ([Some(73.3), Some(59.8)], [Some(100.0), None, Some(64.3)])),
    ("put-even-blocks-in-same-color-zone",
        ([Some(40.9), Some(32.7)], [None, None, Some(100.0)])),
    ("put-hidden-blocks-in-pyramid-into-matching-bowls",
        ([Some(83.3), None], [None, None, Some(100.0)])),
    ("build-rectangle-on-zone", ([Some(100.0), None], [None, None, Some(100.0)])),
];

const PARTS: [&str; 3] = ["planner", "actor", "reporter"];

fn row(policy: String, scores: impl IntoIterator<Item = (String, f64)>) -> PublishedRow {
    PublishedRow { policy, scores: scores.into_iter().collect() }
}

/// The published rows.
pub(super) fn published() -> Published {
    let key = |task: &str, what: &str| format!("lohoravens/{task} {what}");
    let baseline = TABLE_3.iter().map(|(task, v)| (key(task, "score"), v[0]));
    let mut rows = vec![row("Llama 3 8B + CogVLM2".to_owned(), baseline)];
    for (model, roles) in TABLE_2 {
        for (k, ([score, success], role)) in roles.into_iter().zip(["P", "P & R"]).enumerate() {
            let mut scores =
                vec![(format!("{TEN} score"), score), (format!("{TEN} success"), success)];
            if model == "GPT-4o" {
                for (task, v) in TABLE_3 {
                    scores.push((key(task, "score"), v[1 + 2 * k]));
                    scores.push((key(task, "success"), v[2 + 2 * k]));
                }
            }
            rows.push(row(format!("{model} as {role}"), scores));
        }
    }
    for (k, role) in ["P", "P & R"].into_iter().enumerate() {
        let of = |(task, (alone, both)): &(&str, Errors)| {
            let values = if k == 0 { &alone[..] } else { &both[..] };
            let named = PARTS.iter().zip(values);
            named.filter_map(|(part, v)| Some((key(task, part), (*v)?))).collect::<Vec<_>>()
        };
        let errors = TABLE_4.iter().flat_map(of).collect::<Vec<_>>();
        rows.push(row(format!("wrong, GPT-4o-mini as {role}"), errors));
    }
    Published { source: SOURCE.to_owned(), rows, memory: None }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;

    #[test]
    fn published_tasks_are_tasks_of_the_suite() {
        let published = published();
        let named = published.rows.iter().flat_map(|r| r.scores.keys());
        for key in named.filter(|k| !k.starts_with(TEN)) {
            let (task, _) = key.split_once(' ').unwrap();
            assert!(ROWS.iter().any(|r| r.id == task), "{task}");
        }
        // Table 2 gives the means of Table 3's columns.
        let mean = |k: usize| TABLE_3.iter().map(|(_, v)| v[k]).sum::<f64>() / 10.0;
        for (k, want) in [(1, 23.96), (2, 10.5), (3, 6.76), (4, 0.2)] {
            assert!((mean(k) - want).abs() < 0.01, "{k}: {}", mean(k));
        }
    }
}
