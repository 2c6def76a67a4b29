//! Codes are read back, and pages keep to what a strict server lets through.
#![allow(missing_docs, reason = "a test")]

use longarm_manual::{Sheet, qr};

/// Draw the squares of a code as a camera would see them.
fn seen(svg: &str) -> (usize, Vec<bool>) {
    let (_, rest) = svg.split_once("viewBox=\"0 0 ").unwrap();
    let side: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let (_, path) = svg.split_once("<path d=\"").unwrap();
    let mut dark = vec![false; side * side];
    for square in path.split('"').next().unwrap().split('M').skip(1) {
        let mut at = square.split('h').next().unwrap().split(' ').map(|n| n.parse().unwrap());
        let (x, y): (usize, usize) = (at.next().unwrap(), at.next().unwrap());
        dark[y * side + x] = true;
    }
    (side, dark)
}

fn read(svg: &str) -> String {
    const PIXELS: usize = 6;
    let (side, dark) = seen(svg);
    let grey = |x: usize, y: usize| match dark[y / PIXELS * side + x / PIXELS] {
        true => 20,
        false => 240,
    };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side * PIXELS, side * PIXELS, grey);
    let codes = image.detect_grids();
    assert_eq!(codes.len(), 1, "one code is seen");
    codes[0].decode().unwrap().1
}

#[test]
fn the_code_on_paper_leads_to_the_tasks_page() {
    for suite in longarm_suites::SUITES {
        let (lab, simulated) = (suite.lab.iter().take(1), suite.ids());
        let ids = lab.map(|t| format!("{}/{}", suite.name, t.name));
        for id in ids.chain(simulated.first().map(|s| (*s).to_owned())) {
            let address = format!("https://console.lab.example:8443/console/tasks/{id}");
            let page = Sheet::find(&id).unwrap().page(1, Some(&address)).unwrap();
            let (_, code) = page.split_once("<svg class=\"qr\"").unwrap();
            assert_eq!(read(code), address);
        }
    }
}

#[test]
fn what_no_code_holds_is_refused() {
    let long = "x".repeat(4000);
    assert!(qr::svg(&long, 20.0).unwrap_err().to_string().contains("too long"));
}

#[test]
fn every_task_has_a_sheet_that_needs_no_style_or_script_of_its_own() {
    for suite in longarm_suites::SUITES {
        let ids = suite.ids().into_iter().take(12).map(str::to_owned);
        let lab = suite.lab.iter().map(|t| format!("{}/{}", suite.name, t.name));
        for id in ids.chain(lab) {
            let sheet = Sheet::find(&id).unwrap_or_else(|| panic!("{id} has no sheet"));
            // What is judged as a whole has no phases to tick.
            if sheet.phases.is_empty() {
                continue;
            }
            for (i, p) in sheet.phases.iter().enumerate() {
                assert!(p.after.iter().all(|a| *a < sheet.phases.len() && *a != i), "{id}");
            }
            for seed in [0, 7] {
                let drawing = sheet.initialization(seed).unwrap().drawing;
                for word in ["<script", "style=", "onload", "href="] {
                    assert!(!drawing.contains(word), "{id} has {word}");
                }
            }
            assert_ne!(sheet.initialization(1).unwrap(), sheet.initialization(2).unwrap(), "{id}");
        }
    }
}
