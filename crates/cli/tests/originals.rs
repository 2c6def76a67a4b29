//! Tasks in other people's files, from folders with the least that one is made of.

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{command, folder, refused, said, works};

const TASK: &str = "libero-goal/turn-on-the-stove";
const STATES: &str = "libero/init_files/libero_goal/turn_on_the_stove.pruned_init";

/// A NumPy array of double precision, pickled.
fn pickled(rows: &[Vec<f64>]) -> Vec<u8> {
    let bytes: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01K".to_vec();
    out.extend([rows.len() as u8, b'K', rows[0].len() as u8]);
    out.extend(b"\x86cnumpy\ndtype\nX\x02\x00\x00\x00f8\x89\x88\x87R(K\x03X\x01\x00\x00\x00<NNN");
    out.extend(b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89B");
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
    out.extend(b"tb.");
    out
}

/// Time, arm, fingers, plate, knob; then velocities. The knob is off, or on.
fn state(knob: f64) -> Vec<f64> {
    let arm = [0.0, -0.16, 0.0, -2.44, 0.0, 2.23, 0.785];
    let rest = [0.02, -0.02, 0.05, -0.02, 0.91, 1.0, 0.0, 0.0, 0.0, knob];
    let mut out = vec![0.0];
    out.extend(arm.into_iter().chain(rest));
    out.resize(out.len() + 16, 0.0);
    out
}

/// An arm of seven joints with a hand that has a camera.
fn robot() -> String {
    let mut bodies = String::from("<body name=\"base\">");
    for i in 1..=7 {
        let axis = if i % 2 == 1 { "0 0 1" } else { "0 1 0" };
        let _ = write!(
            bodies,
            "<body name=\"link{i}\" pos=\"0 0 0.15\"><inertial pos=\"0 0 0.1\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>\
             <joint name=\"joint{i}\" type=\"hinge\" axis=\"{axis}\"/>\
             <geom type=\"capsule\" pos=\"0 0 0.05\" size=\"0.02 0.05\" group=\"1\" contype=\"0\" conaffinity=\"0\"/>"
        );
    }
    bodies += "<body name=\"right_hand\" pos=\"0 0 0.1\">\
               <camera name=\"eye_in_hand\" pos=\"0.05 0 0\" quat=\"0 0.7071 0.7071 0\" fovy=\"75\"/></body>";
    bodies += &"</body>".repeat(8);
    let motors: String = (1..=7)
        .map(|i| format!("<motor name=\"torq_j{i}\" joint=\"joint{i}\" ctrllimited=\"true\" ctrlrange=\"-80 80\"/>"))
        .collect();
    format!("<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>")
}

fn gripper() -> String {
    let finger = |i: u32, range: &str| {
        format!(
            "<body name=\"finger{i}\"><inertial pos=\"0 0 0\" mass=\"0.1\" diaginertia=\"0.01 0.01 0.01\"/>\
             <joint name=\"finger_joint{i}\" type=\"slide\" axis=\"0 1 0\" limited=\"true\" range=\"{range}\" damping=\"100\"/></body>"
        )
    };
    let servo = |i: u32, range: &str| {
        format!(
            "<position name=\"gripper_finger_joint{i}\" joint=\"finger_joint{i}\" kp=\"1000\" ctrllimited=\"true\" ctrlrange=\"{range}\"/>"
        )
    };
    format!(
        "<mujoco><worldbody><body name=\"right_gripper\"><site name=\"grip_site\" pos=\"0 0 0.097\" size=\"0.01\"/>\
         {}{}</body></worldbody><actuator>{}{}</actuator></mujoco>",
        finger(1, "0 0.04"),
        finger(2, "-0.04 0"),
        servo(1, "0 0.04"),
        servo(2, "-0.04 0")
    )
}

fn object(inner: &str) -> String {
    format!(
        "<mujoco><worldbody><body><body name=\"object\">{inner}\
         <geom type=\"box\" size=\"0.05 0.05 0.01\" group=\"0\" mass=\"0.1\"/>\
         <geom type=\"box\" size=\"0.05 0.05 0.01\" group=\"1\" contype=\"0\" conaffinity=\"0\" rgba=\"1 0 0 1\"/></body>\
         <site name=\"bottom_site\" pos=\"0 0 -0.01\" size=\"0.005\"/></body></worldbody></mujoco>"
    )
}

fn scene() -> String {
    let legs: String = (1..=4)
        .map(|i| format!("<geom name=\"table_leg{i}_visual\" type=\"cylinder\" size=\"1 1\" group=\"1\" contype=\"0\" conaffinity=\"0\"/>"))
        .collect();
    format!(
        "<mujoco><asset><texture name=\"texplane\" type=\"2d\" file=\"../textures/a.png\"/>\
         <texture name=\"tex-wall\" type=\"2d\" file=\"../textures/a.png\"/></asset><worldbody>\
         <light name=\"light1\" pos=\"1 1 4\" dir=\"0 -0.15 -1\"/>\
         <geom name=\"floor\" type=\"plane\" size=\"3 3 .1\" group=\"1\"/><body name=\"table\">\
         <geom name=\"table_collision\" type=\"box\" size=\"1 1 1\" group=\"0\"/>\
         <geom name=\"table_visual\" type=\"box\" size=\"1 1 1\" group=\"1\" contype=\"0\" conaffinity=\"0\"/>\
         <site name=\"table_top\" size=\"0.001\"/>{legs}</body></worldbody></mujoco>"
    )
}

const PROBLEM: &str = "(define (problem LIBERO_Tabletop_Manipulation) (:domain robosuite) (:language Turn on the stove)
  (:regions (stove_region (:target main_table) (:ranges ((-0.42 0.2 -0.4 0.22))))
    (plate_region (:target main_table) (:ranges ((0.04 -0.03 0.06 -0.01)))))
  (:fixtures main_table - table flat_stove_1 - flat_stove) (:objects plate_1 - plate)
  (:obj_of_interest flat_stove_1)
  (:init (On flat_stove_1 main_table_stove_region) (On plate_1 main_table_plate_region))
  (:goal (And (Turnon flat_stove_1))))";

/// The smallest PNG there is.
const PNG: [u8; 67] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
    0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 96, 0, 0, 0, 2, 0, 1, 72,
    175, 164, 113, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// Folders as users have them.
fn assets(dir: &Path) -> String {
    let stove = object(
        "<joint name=\"button\" type=\"hinge\" axis=\"0 0 1\" damping=\"0.1\"/><site name=\"burner\" type=\"cylinder\" size=\"0.05 0.01\" rgba=\"1 0 0 1\"/>",
    );
    let files: [(&str, Vec<u8>); 12] = [
        (
            "robosuite/base.xml",
            b"<mujoco><compiler angle=\"radian\"/><worldbody/></mujoco>".to_vec(),
        ),
        ("robosuite/robots/panda/robot.xml", robot().into()),
        ("robosuite/grippers/panda_gripper.xml", gripper().into()),
        (
            "robosuite/mounts/rethink_mount.xml",
            b"<mujoco><worldbody><body name=\"base\"/></worldbody></mujoco>".to_vec(),
        ),
        ("libero/assets/scenes/libero_tabletop_base_style.xml", scene().into()),
        ("libero/assets/articulated_objects/flat_stove.xml", stove.into()),
        ("libero/assets/stable_scanned_objects/plate/plate.xml", object("").into()),
        ("libero/assets/textures/light-gray-floor-tile.png", PNG.to_vec()),
        ("libero/assets/textures/light-gray-plaster.png", PNG.to_vec()),
        ("libero/bddl_files/libero_goal/turn_on_the_stove.bddl", PROBLEM.into()),
        (STATES, pickled(&[state(0.0), state(0.6)])),
        ("libero/bddl_files/readme", Vec::new()),
    ];
    for (file, bytes) in files {
        let path = dir.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let at = |name: &str| format!("{name}={}", dir.join(name).display());
    format!("{},{}", at("libero"), at("robosuite"))
}

fn text(path: PathBuf) -> &'static str {
    Box::leak(path.display().to_string().into_boxed_str())
}

#[test]
fn episodes_begin_with_stored_states_and_are_judged_and_verified() {
    let dir = folder("originals-eval");
    let given = assets(&dir);
    let run = text(dir.join("run"));
    let words = ["eval", TASK, "--assets", &given, "--policy", "idle", "--episodes", "2"];
    let more = ["--max-steps", "20", "--workers", "1", "--out", run];
    works(&[&words[..], &more[..]].concat());
    let rows = std::fs::read_to_string(dir.join("run/episodes.jsonl")).unwrap();
    let outcome = |i: usize| {
        let row: serde_json::Value = serde_json::from_str(rows.lines().nth(i).unwrap()).unwrap();
        (row["outcome"].as_str().unwrap().to_owned(), row["steps"].as_u64().unwrap())
    };
    assert_eq!(outcome(0), ("task_failure".into(), 20), "the knob of the first state is off");
    assert_eq!(outcome(1), ("success".into(), 1), "that of the second is on");
    let toml = std::fs::read_to_string(dir.join("run/run.toml")).unwrap();
    for file in
        ["libero:scenes/libero_tabletop_base_style.xml", "robosuite:base.xml", "libero-states:"]
    {
        assert!(toml.contains(file), "{file} in\n{toml}");
    }
    assert!(works(&["verify", run]).contains("all 2 episodes match"));
    // The same actions through the harness once more.
    let again = text(dir.join("again"));
    let replay = format!("replay:{run}");
    let words = ["eval", TASK, "--assets", &given, "--policy", &replay, "--episodes", "2"];
    works(&[&words[..], &["--max-steps", "20", "--workers", "1", "--out", again][..]].concat());
    let hashes = |run: &str| {
        let text = std::fs::read_to_string(dir.join(run).join("episodes.jsonl")).unwrap();
        let row =
            |l: &str| serde_json::from_str::<serde_json::Value>(l).unwrap()["state_hash"].clone();
        text.lines().map(row).collect::<Vec<_>>()
    };
    assert_eq!(hashes("run"), hashes("again"));
    // A file that has changed is named.
    let plate = dir.join("libero/assets/stable_scanned_objects/plate/plate.xml");
    std::fs::write(&plate, object("<site name=\"more\" size=\"0.01\"/>")).unwrap();
    let o = command(&["verify", run]).output().unwrap();
    assert!(!o.status.success() && said(&o).contains("plate.xml"), "{}", said(&o));
}

#[test]
fn missing_and_dangerous_files_are_named() {
    let dir = folder("originals-refused");
    let given = assets(&dir);
    let words = ["show", TASK, "--assets", &given];
    std::fs::remove_file(dir.join("libero/assets/textures/light-gray-plaster.png")).unwrap();
    refused(&words, &["light-gray-plaster.png"]);
    let given = assets(&dir);
    std::fs::write(dir.join(STATES), b"\x80\x02cposix\nsystem\nX\x04\x00\x00\x00true\x85R.")
        .unwrap();
    refused(&words, &["turn_on_the_stove.pruned_init", "posix.system"]);
    assets(&dir);
    let sheet = text(dir.join("sheet.png"));
    works(&[&words[..], &["--sheet", sheet]].concat());
    std::fs::remove_file(sheet).unwrap();
    refused(&[&words[..], &["--sheet", sheet, "-o", "nonsense=1"]].concat(), &["nonsense"]);
    refused(
        &["show", TASK, "--assets", "libero=/nowhere/at/all,robosuite=/nor/this"],
        &["/nowhere/at/all"],
    );
    refused(&["show", TASK, "--assets", "/nowhere"], &["NAME=DIR"]);
    // What cannot be played in files says so, rather than being played in something else.
    // What the folders lack is named: a file, a folder.
    refused(&["show", "boss/c3-1", "--assets", &given], &["libero_90/KITCHEN_SCENE1_", ".bddl"]);
    let memory = "robomemarena/put-butter-in-empty-drawer";
    refused(&["show", memory, "--assets", &given], &["--assets robomemarena=DIR"]);
    refused(&["run", "longbench/stack-block", "--assets", &given], &["--assets", "libero-goal"]);
    let only = given.split(',').next().unwrap();
    refused(&["show", TASK, "--assets", only], &["robosuite"]);
}

#[test]
fn folders_come_from_a_variable_or_the_configuration_and_options_change_the_task() {
    let dir = folder("originals-options");
    let given = assets(&dir);
    let hash = |words: &[&str], variable: Option<(&str, &str)>| {
        let mut c = command(&[&["show", TASK, "--json"], words].concat());
        if let Some((name, value)) = variable {
            c.env(name, value);
        }
        let o = c.output().unwrap();
        assert!(o.status.success(), "{}", said(&o));
        let value: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
        value["hash"].as_str().unwrap().to_owned()
    };
    let files = hash(&["--assets", &given], None);
    assert_ne!(files, hash(&[], None), "tasks in files are other tasks");
    assert_eq!(files, hash(&[], Some(("LONGARM_ASSETS", &given))));
    let config = dir.join("config.toml");
    let [libero, robosuite] = ["libero", "robosuite"].map(|n| dir.join(n).display().to_string());
    std::fs::write(&config, format!("[assets]\nlibero = {libero:?}\nrobosuite = {robosuite:?}\n"))
        .unwrap();
    let config = Some(("LONGARM_CONFIG", text(config.clone())));
    assert_eq!(files, hash(&[], config));
    assert_eq!(hash(&[], None), hash(&["--assets", "off"], config));
    let mut all = vec![files.clone()];
    for option in ["faithful=off", "physics=mujoco-2.3.7", "script=libero", "script=none"] {
        all.push(hash(&["--assets", &given, "-o", option], None));
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 5, "each is another task");
    assert_eq!(files, hash(&["--assets", &given, "-o", "faithful=on"], None));
    let picture = text(dir.join("scene.png"));
    works(&["show", TASK, "--assets", &given, "--image", picture]);
    assert!(std::fs::metadata(picture).unwrap().len() > 1000);
}
