//! `cargo xtask fuzz obj|stl|msh|png|model [SECONDS]`: spoiled files against the readers of whole models
//! until the time is over. A file that makes one panic is left as `fuzz-panic.*`.

#[path = "../../suites/examples/support/fuzz.rs"]
mod fuzz;
#[path = "../../suites/examples/support/spoil.rs"]
mod spoil;

use longarm_assets::source::{Element, check_mesh, check_picture};
use longarm_types::Rng;

const WORDS: [&str; 24] = [
    "v 1 2 3\n",
    "f 1 2 3\n",
    "f -1 -2 -3\n",
    "f 1//1 2//2 3//3\n",
    "vn 0 0 1\n",
    "vt 0 1\n",
    "o a\n",
    "mtllib ../x\n",
    "nan",
    "1e999",
    "-9223372036854775808",
    "\u{0}\u{0}\u{0}\u{0}",
    "\u{1}\u{0}\u{0}\u{0}",
    "\u{7f}",
    "IDAT",
    "<body name=\"a\">",
    "</body>",
    "<geom type=\"box\" size=\"1 1 1\"/>",
    "<default class=\"a\">",
    "class=\"a\"",
    "<include file=\"x\"/>",
    "file=\"../../x\"",
    "&quot;",
    "/>",
];

const MODEL: &str = r#"<mujoco model="o"><compiler angle="radian" inertiagrouprange="0 0"/>
<option timestep="0.002" cone="elliptic"/><default><default class="a"><geom rgba="1 0 0 1"/></default></default>
<asset><mesh name="m" file="m.obj" scale="0.1 0.1 0.1"/><texture name="t" type="2d" file="t.png"/>
<material name="p" texture="t" rgba="0 1 0 1"/></asset><worldbody><light name="l" pos="0 0 1"/>
<body name="o" pos="0 0 .1"><joint name="j" type="slide" axis="0 0 1" range="0 1"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom class="a" type="mesh" mesh="m" material="p"/>
<site name="s" size="0.1 0.1 0.1" type="box"/></body></worldbody>
<actuator><motor name="q" joint="j" ctrlrange="-1 1"/></actuator></mujoco>"#;
const MESH: &str = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\n\
                    f 1/1/1 3/1/1 2/1/1\nf 1 2 4\nf -4 4 3\nf 2//1 3//1 4//1\n";

fn corpus(kind: &str) -> Option<Vec<u8>> {
    Some(match kind {
        "model" => MODEL.into(),
        "obj" => MESH.into(),
        "stl" => {
            let mut stl = vec![0; 84 + 4 * 50];
            stl[80] = 4;
            stl
        }
        "msh" => {
            let mut msh: Vec<u8> = [4i32, 4, 4, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
            msh.extend((0..4 * 8).flat_map(|v| (v as f32).to_le_bytes()));
            msh.extend([0i32, 1, 2, 1, 2, 3].iter().flat_map(|n| n.to_le_bytes()));
            msh
        }
        "png" => {
            let mut out = Vec::new();
            let mut encoder = png::Encoder::new(&mut out, 8, 8);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header().ok()?;
            writer.write_image_data(&[99; 8 * 8 * 3]).ok()?;
            drop(writer);
            out
        }
        _ => return None,
    })
}

/// Reads it. True if it is accepted.
fn accepted(kind: &str, bytes: &[u8]) -> bool {
    match kind {
        "model" => {
            let text = String::from_utf8_lossy(bytes);
            Element::parse("o.xml", &text, &|f| f.to_owned()).is_ok_and(|mut e| {
                e.inline_defaults();
                e.prefix("a_");
                true
            })
        }
        "png" => check_picture(kind, bytes.to_vec()).is_ok(),
        _ => check_mesh(kind, bytes).is_ok(),
    }
}

fn main() {
    let usage = "fuzz_source obj|stl|msh|png|model";
    let asked = fuzz::asked(1, usage);
    let kind = std::env::args().nth(1).unwrap_or_else(|| "obj".into());
    let Some(start) = corpus(&kind) else {
        eprintln!("no reader {kind:?}; usage: {usage} [SECONDS [SEED]]");
        std::process::exit(2);
    };
    assert!(accepted(&kind, &start), "the file that is spoiled is a good one");
    let corpus = [start];
    let make = |rng: &mut Rng| spoil::spoil(&corpus, &WORDS, None, rng);
    fuzz::fuzz(&kind, "accepted", asked, make, |bytes, _| accepted(&kind, bytes));
}
