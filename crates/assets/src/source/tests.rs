//! What is read, what is refused, and what comes out.

use std::path::PathBuf;

use super::*;

/// A folder of one test's own, gone with it.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let dir =
            std::env::temp_dir().join(format!("longarm-source-{name}-{}", std::process::id()));
        for (file, bytes) in files {
            let path = dir.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        Self(dir)
    }

    fn library(&self) -> Library {
        let mut library = Library::default();
        library.add("own", &self.0.join("in")).unwrap();
        library
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const CUP: &str = r#"<mujoco model="a cup">
  <default><default class="felt"><geom group="0" friction="0.9 0.3 0.1" rgba="1 0 0 1"/></default></default>
  <asset><mesh name="cup_vis" file="meshes/cup.obj" scale="0.1 0.1 0.1"/></asset>
  <worldbody><body name="cup" pos="0 0 .5"><joint name="lid" type="hinge" axis="0 0 1" range="0 1"/>
    <geom type="mesh" mesh="cup_vis" group="1"/>
    <geom class="felt" type="box" size="0.1 0.1 0.1" rgba="0 1 0 1"/></body></worldbody></mujoco>"#;
const TETRA: &[u8] =
    b"mtllib secret.mtl\no cup\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 1 3 2\nf 1//1 2 4\nvn 0 0 1\n";

fn cup(text: &str) -> (Temp, Result<Element, crate::outside::OutsideError>) {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let temp = Temp::new(&n.to_string(), &[("in/a/cup.xml", text.as_bytes())]);
    let read = temp.library().model("own:a/cup.xml");
    (temp, read)
}

#[test]
fn elements_keep_their_numbers_and_lose_their_classes() {
    let (_temp, read) = cup(CUP);
    let mut model = read.unwrap();
    model.inline_defaults();
    model.prefix("mine_");
    let body = model.find("body", "mine_cup").unwrap();
    assert_eq!(body.get("pos"), Some("0 0 .5"));
    assert_eq!(body.numbers("pos"), Some(vec![0.0, 0.0, 0.5]));
    let felt = body.children.iter().find(|c| c.get("type") == Some("box")).unwrap();
    assert_eq!(felt.get("friction"), Some("0.9 0.3 0.1"), "from its class");
    assert_eq!(felt.get("rgba"), Some("0 1 0 1"), "its own goes before");
    assert_eq!(felt.get("class"), None);
    let mesh = model.find("mesh", "mine_cup_vis").unwrap();
    assert_eq!(mesh.get("file"), Some("own:a/meshes/cup.obj"));
    model.prefix("mine_");
    assert!(model.find("joint", "mine_lid").is_some(), "a prefix is put once");
}

#[test]
fn what_is_not_on_the_list_is_refused_with_its_place() {
    for (from, to, says) in [
        ("<worldbody>", "<worldbody><plugin/>", "<plugin> is not read"),
        ("<worldbody>", "<include file=\"/etc/passwd\"/><worldbody>", "<include> is not read"),
        ("pos=\"0 0 .5\"", "pos=\"0 0 .5\" gravcomp=\"1\"", "<body gravcomp=…>"),
        ("0 0 .5", "0 0 0 0.5", "<body pos=…>"),
        ("0 0 .5", "0 nan .5", "\"nan\" is not a number"),
        ("0 0 .5", "0 inf 1e999", "<body pos=…>"),
        ("name=\"cup\"", "name=\"cup&quot;/>\"", "<body name=…>"),
        ("hinge", "hinges", "<joint type=…>"),
        ("<mujoco model", "<robot model", "is not XML"),
    ] {
        let (_temp, read) = cup(&CUP.replacen(from, to, 1));
        let error = read.unwrap_err();
        assert!(error.message.contains(says), "{from} → {to}: {error}");
        assert!(error.file == "own:a/cup.xml" && error.at.is_some(), "{error}");
    }
}

#[test]
fn a_finished_model_names_only_files_that_were_checked() {
    let files: [(&str, &[u8]); 3] = [
        ("in/a/cup.xml", CUP.as_bytes()),
        (
            "in/a/meshes/cup.obj",
            &TETRA.replace_bytes(b"f 1//1 2 4\nvn 0 0 1\n", b"vn 0 0 1\nf 1//1 2//1 4//1\n"),
        ),
        ("secret.mtl", b"secret"),
    ];
    let temp = Temp::new("finish", &files);
    let library = temp.library();
    let model = library.finish(&library.model("own:a/cup.xml").unwrap()).unwrap();
    assert_eq!(model.files.keys().collect::<Vec<_>>(), ["f0.obj"]);
    let mesh = String::from_utf8(model.files["f0.obj"].clone()).unwrap();
    assert!(!mesh.contains("secret") && mesh.contains("f 1//1 2//1 4//1"), "{mesh}");
    assert!(model.xml.contains("file=\"f0.obj\"") && !model.xml.contains("own:"), "{}", model.xml);
    assert_eq!(model.used.keys().collect::<Vec<_>>(), ["own:a/cup.xml", "own:a/meshes/cup.obj"]);
}

trait ReplaceBytes {
    fn replace_bytes(&self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl ReplaceBytes for &[u8] {
    fn replace_bytes(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = self.windows(from.len()).position(|w| w == from).unwrap();
        [&self[..at], to, &self[at + from.len()..]].concat()
    }
}

#[test]
fn nothing_outside_of_the_folders_is_read() {
    let temp = Temp::new("outside", &[("in/x.xml", b"<mujoco/>"), ("secret.xml", b"<mujoco/>")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(temp.0.join("secret.xml"), temp.0.join("in/link.xml")).unwrap();
    let library = temp.library();
    assert!(library.model("own:x.xml").is_ok());
    for path in ["own:../secret.xml", "own:/etc/passwd", "own:link.xml", "other:x.xml", "x.xml"] {
        assert!(library.model(path).is_err(), "{path}");
    }
}

#[test]
fn the_first_folder_of_a_name_goes_before() {
    let temp = Temp::new(
        "over",
        &[("over/x.xml", b"<mujoco><asset/></mujoco>"), ("in/x.xml", b"<mujoco/>")],
    );
    let mut library = Library::default();
    library.add("own", &temp.0.join("over")).unwrap();
    library.add("own", &temp.0.join("in")).unwrap();
    assert_eq!(library.model("own:x.xml").unwrap().children.len(), 1);
}

fn msh(vertices: i32, faces: &[i32]) -> Vec<u8> {
    let counts = [vertices, 0, 0, faces.len() as i32 / 3];
    let mut out: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
    out.extend((0..3 * vertices).flat_map(|v| (v as f32).to_le_bytes()));
    out.extend(faces.iter().flat_map(|f| f.to_le_bytes()));
    out
}

#[test]
fn meshes_are_checked_to_the_last_index() {
    assert!(check_mesh("msh", &msh(4, &[0, 1, 2])).is_ok());
    let mut spoiled = msh(4, &[0, 1, 2]);
    spoiled[16..20].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut stl = vec![0; 84 + 50];
    stl[80] = 1;
    assert!(check_mesh("stl", &stl).is_ok());
    let mut lying = stl.clone();
    lying[80] = 2;
    for (ending, bytes, says) in [
        ("msh", msh(4, &[0, 1, 4]), "vertex that is not there"),
        ("msh", msh(4, &[0, -1, 2]), "vertex that is not there"),
        ("msh", msh(4, &[0, 1, 2])[..40].to_vec(), "bytes"),
        ("msh", vec![255; 16], "count"),
        ("msh", spoiled, "not finite"),
        ("stl", lying, "says 2 triangles"),
        ("stl", vec![0; 90], "says 0 triangles"),
        ("obj", b"v 0 0 0\nf 1 1 2\n".to_vec(), "line 2"),
        ("obj", b"v 0 0\n".to_vec(), "line 1"),
        ("obj", TETRA.to_vec(), "line 9"),
        ("obj", b"v 0 0 0\n".to_vec(), "no faces"),
        ("ply", Vec::new(), ".obj, .stl or .msh"),
    ] {
        let error = check_mesh(ending, &bytes).unwrap_err();
        assert!(error.contains(says), "{ending}: {error}");
    }
    assert!(check_picture("png", b"not a picture".to_vec()).is_err());
    assert!(check_picture("jpg", Vec::new()).unwrap_err().contains(".png"));
}
