//! Tasks, scenes, rigs and objects from files.

use std::fs;
use std::path::{Path, PathBuf};

use longarm_catalogue::starter::STARTERS;
use longarm_catalogue::{Catalogue, Written, read_written};
use longarm_task::sample;
use longarm_types::Seed;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("longarm-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const TASK: &str = r#"
rig = "panda"
instruction = "put the {block.colour} block on the plate, {n} times"
goal = "on(block, plate)"

[variables]
n = { from = 1, to = 3 }

[regions]
start = { at = [[0.40, -0.20], [0.50, -0.08]], yaw = [-0.4, 0.4] }

[objects]
block = { asset = { kind = "block", size = [0.04, 0.04, 0.04] }, colour = "any", at = "start" }
plate = { asset = { kind = "plate", radius = 0.09 }, at = [0.5, 0.2] }
apple = { asset = ["apple", "banana"], at = [[0.3, -0.3], [0.35, -0.25]], when = "n >= 2" }
"#;

#[test]
fn a_task_file_is_a_task() {
    let dir = Folder::new("task");
    let path = dir.write("my_task.toml", TASK);
    let found = Catalogue::default().task(&path).unwrap();
    let task = &found.task;
    assert!(task.id.as_str().ends_with("/my-task"), "{}", task.id);
    assert_eq!(task.stage_names(), ["block on plate"]);
    assert_eq!(task.plan.written().len(), 2);
    for seed in 0..5 {
        let scene = sample(task, Seed(seed)).unwrap();
        assert_eq!(scene.instance("apple").is_some(), scene.variables["n"] >= 2);
    }
    // What a run writes down reads back as the same task, without the folder.
    let again = read_written(found.file.as_ref().unwrap()).unwrap();
    assert_eq!(again.hash(), task.hash());
    // The same as JSON is the same task.
    let value: toml::Value = toml::from_str(TASK).unwrap();
    let json = dir.write("my-task.json", &serde_json::to_string(&value).unwrap());
    assert_eq!(Catalogue::default().task(&json).unwrap().task.hash(), task.hash());
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let dir = Folder::new("mistakes");
    for (from, to, at, says) in [
        ("rig = \"panda\"", "rig = \"pnda\"", ":2:", "did you mean panda?"),
        ("on(block, plate)", "onn(block, plate)", ":4:8:", "did you mean on or on_end?"),
        ("on(block, plate)", "on(blok, plate)", ":4:", "did you mean block?"),
        ("at = \"start\"", "at = \"strat\"", ":13:", "did you mean start?"),
        ("kind = \"plate\"", "kind = \"plat\"", ":14:", "did you mean plate or laptop?"),
        ("radius = 0.09", "radios = 0.09", ":14:", "radios"),
        ("colour = \"any\"", "colour = \"rred\"", ":13:", "did you mean red?"),
        ("colour = \"any\"", "color = \"any\"", ":13:", "color"),
        ("n >= 2", "n > 2", ":15:", "n >= 2"),
        ("n >= 2", "m >= 2", ":15:", "no variable \"m\""),
        ("goal =", "goal", ":4:", ""),
        ("at = [0.5, 0.2]", "at = [0.5]", ":14:", "a point [x, y]"),
    ] {
        assert!(TASK.contains(from), "{from}");
        let path = dir.write("bad.toml", &TASK.replace(from, to));
        let e = Catalogue::default().task(&path).unwrap_err().to_string();
        assert!(e.contains(&format!("bad.toml{at}")) && e.contains(says), "{to}: {e}");
    }
    let path = dir.write("bad.json", "{\n  \"instruction\": 3\n}");
    let e = Catalogue::default().task(&path).unwrap_err().to_string();
    assert!(e.contains("bad.json:2:18:"), "{e}");
}

#[test]
fn a_task_of_a_suite_is_not_replaced() {
    let dir = Folder::new("taken");
    let path = dir.write("mine.toml", &format!("id = \"longbench/stack-block\"\n{TASK}"));
    let e = Catalogue::default().task(&path).unwrap_err().to_string();
    assert!(e.contains("belongs to a task of the suite longbench"), "{e}");
    assert!(e.contains("mine/stack-block"), "{e}");
}

#[test]
fn what_is_printed_is_read() {
    let dir = Folder::new("printed");
    for id in ["longbench/stack-block", "lohoravens/put-block-into-matching-bowl"] {
        let task = longarm_suites::task(id).unwrap();
        let instance = task.instance(Seed(3));
        let scene = sample(&task, Seed(3)).unwrap();
        let value = serde_json::json!({ "spec": &*instance, "hash": task.hash(), "scene": scene });
        let path = dir.write("printed.json", &value.to_string());
        let found = Catalogue::default().task(&path).unwrap();
        assert_eq!(found.task.hash(), instance.hash(), "{id}");
        // Changed, it needs a name of its own.
        let mut changed = value.clone();
        changed["spec"]["instruction"] = "something else".into();
        let path = dir.write("changed.json", &changed.to_string());
        assert!(Catalogue::default().task(&path).is_err(), "{id}");
    }
}

#[test]
fn a_folder_is_a_suite_and_scenes_are_shared() {
    let dir = Folder::new("suite");
    for s in &STARTERS {
        dir.write(&format!("{}.toml", s.kind), &s.text.replace("NAME", s.kind));
        if let Some((ending, text)) = s.beside {
            dir.write(&format!("{}.{ending}", s.kind), &text.replace("NAME", s.kind));
        }
    }
    dir.write(
        "shared.toml",
        "scene = \"scene.toml\"\ninstruction = \"x\"\nplan = [\"pick block\", \"put block on plate\"]\n",
    );
    dir.write(
        "own.toml",
        "scene = \"scene.toml\"\nrig = \"rig.toml\"\ninstruction = \"x\"\ngoal = \"on(holder, plate)\"\n\
         objects.holder = { asset = \"object.toml\", at = [0.35, 0.0], colour = \"red\" }\n",
    );
    let name = dir.0.to_str().unwrap();
    let found = Catalogue::default().select(&[name]).unwrap();
    let names: Vec<&str> = found.iter().map(|f| f.task.id.name()).collect();
    assert_eq!(names, ["own", "shared", "task"]);
    let own = &found[0];
    let files: Vec<&str> = own.outside.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(files, ["object.toml", "object.xml"]);
    assert_eq!(own.task.rig.rig().cameras[0].name, "agentview");
    let text = own.file.as_ref().unwrap();
    assert_eq!(read_written(text).unwrap().hash(), own.task.hash());
    let ours = Written { text: text.text.replace("\"own-rig-", "\"panda-"), ..text.clone() };
    assert!(read_written(&ours).is_err(), "a rig that is not a file's");
}

#[test]
fn objects_change_the_hash_of_a_task() {
    let dir = Folder::new("hash");
    let task = "rig = \"panda\"\ninstruction = \"x\"\ngoal = \"at(o, there)\"\n\
        regions.there = { at = [0.5, 0.2] }\n\
        objects.o = { asset = \"o.toml\", at = [0.4, 0.0] }\n";
    let path = dir.write("task.toml", task);
    dir.write("o.toml", "noun = \"box\"\nmodel = \"o.xml\"\n");
    let model = |size: &str| {
        format!("<mujoco><worldbody><geom type=\"box\" size=\"{size}\"/></worldbody></mujoco>")
    };
    let hash = |size: &str| {
        dir.write("o.xml", &model(size));
        Catalogue::default().task(&path).unwrap().task.hash()
    };
    let first = hash("0.02 0.02 0.02");
    assert_ne!(first, hash("0.02 0.02 0.021"));
    assert_eq!(first, hash("0.02 0.02 0.02"));
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let dir = Folder::new("sandbox");
    let secret = dir.write(
        "secret.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    let inside = dir.0.join("inside");
    fs::create_dir_all(&inside).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, inside.join("link.obj")).unwrap();
    let task = |asset: &str| {
        format!(
            "rig = \"panda\"\ninstruction = \"x\"\ngoal = \"at(o, there)\"\n\
             regions.there = {{ at = [0.5, 0.2] }}\nobjects.o = {{ asset = \"{asset}\", at = [0.4, 0.0] }}\n"
        )
    };
    let mut ways =
        vec!["../secret.obj".to_owned(), secret.clone(), "x/../../secret.obj".to_owned()];
    if cfg!(unix) {
        ways.push("link.obj".into());
    }
    for way in &ways {
        let path = dir.write("inside/task.toml", &task(way));
        let e = Catalogue::default().task(&path).unwrap_err().to_string();
        let told = e.contains("copy the file into the folder") || e.contains("cannot read");
        assert!(told, "{way}: {e}");
    }
    for (n, tag) in [
        "<compiler meshdir=\"..\"/><asset><mesh name=\"m\" file=\"secret.obj\"/></asset>",
        "<asset><mesh name=\"m\" file=\"../secret.obj\"/></asset>",
        "<include file=\"../secret.xml\"/>",
    ]
    .iter()
    .enumerate()
    {
        let geom = "<worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>";
        dir.write("inside/o.xml", &format!("<mujoco>{tag}{geom}</mujoco>"));
        dir.write("inside/o.toml", "noun = \"o\"\nmodel = \"o.xml\"\n");
        dir.write("secret.xml", "<mujoco/>");
        let path = dir.write("inside/task.toml", &task("o.toml"));
        let e = Catalogue::default().task(&path).unwrap_err().to_string();
        assert!(e.contains("copy the file into the folder"), "{n}: {e}");
    }
    // Where the user allows the folder, it is read.
    let path = dir.write("inside/task.toml", &task("../secret.obj"));
    let allowed = Catalogue::default().allow(&dir.0);
    let e = allowed.task(&path).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(!e.contains("copy the file"), "{e}");
    assert!(Path::new(&secret).exists());
}

#[test]
fn models_go_through_an_allow_list() {
    let dir = Folder::new("allow");
    let box_ = "<geom type=\"box\" size=\"0.02 0.02 0.02\"/>";
    for (model, says) in [
        (format!("<mujoco>\n<extension><plugin plugin=\"x\"/></extension><worldbody>{box_}</worldbody></mujoco>"), "o.xml:2:1: <extension> is not read: plug-ins are never loaded"),
        (format!("<mujoco><worldbody><replicate count=\"99999\">{box_}</replicate></worldbody></mujoco>"), "write the copies out"),
        ("<mujoco><worldbody><flexcomp/></worldbody></mujoco>".into(), "soft bodies"),
        ("<mujoco><asset><hfield/></asset></mujoco>".into(), "height fields"),
        (format!("<mujoco><actuator/><worldbody>{box_}</worldbody></mujoco>"), "an object is not driven"),
        ("<mujoco><worldbody><geom type=\"box\" size=\"0.02 0.02 0.02\" fluidshape=\"x\"/></worldbody></mujoco>".into(), "<geom fluidshape=…> is not read"),
        ("<mujoco><worldbody><geom type=\"box\" size=\"nan 1 1\"/></worldbody></mujoco>".into(), "size"),
        ("<mujoco><worldbody><geom type=\"box\" size=\"1e9 1 1\"/></worldbody></mujoco>".into(), "size"),
        ("<mujoco><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>".into(), "no mesh \"m\""),
        ("<mujoco><include file=\"o.xml\"/></mujoco>".into(), "files are included"),
        ("<!DOCTYPE m [<!ENTITY a \"aaaa\">]><mujoco>&a;</mujoco>".into(), "is not XML"),
        ("<mujoco><worldbody/></mujoco>".into(), "no geom"),
        ("<robot/>".into(), "outermost element must be <mujoco>"),
        (format!("<mujoco>{}{}</mujoco>", "<worldbody><body>", "<body>".repeat(60)), "is not XML"),
        (format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", "<body>".repeat(60), "</body>".repeat(60)), "nest deeper"),
        (format!("<mujoco><worldbody>{}</worldbody></mujoco>", box_.repeat(300)), "more than 256 geoms"),
    ] {
        dir.write("o.xml", &model);
        dir.write("o.toml", "noun = \"o\"\nmodel = \"o.xml\"\n");
        let path = dir.write("t.toml", "rig = \"panda\"\ninstruction = \"x\"\ngoal = \"at(o, there)\"\nregions.there = { at = [0.5, 0.2] }\nobjects.o = { asset = \"o.toml\", at = [0.4, 0.0] }\n");
        let e = Catalogue::default().task(&path).unwrap_err().to_string();
        assert!(e.contains(says), "{model}\n{e}");
    }
}
