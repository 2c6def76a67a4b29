//! Which elements and attributes are read, and what their values may be.

use std::str::FromStr;

/// What an attribute's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Up to as many numbers.
    Numbers(usize),
    /// The name of something in the model, its own or another's.
    Name,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A file in the library.
    File,
    /// Says nothing to us: a title, a folder.
    Ignored,
}

use Kind::{File, Ignored, Name, Numbers, Word};

type Row = (&'static str, &'static [(&'static str, Kind)]);

const FLAG: Kind = Word(&["true", "false", "auto"]);
const SHAPE: Kind = Word(&["plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]);

const GEOM: &[(&str, Kind)] = &[
    ("name", Name),
    ("class", Name),
    ("type", SHAPE),
    ("pos", Numbers(3)),
    ("quat", Numbers(4)),
    ("euler", Numbers(3)),
    ("size", Numbers(3)),
    ("rgba", Numbers(4)),
    ("material", Name),
    ("mesh", Name),
    ("group", Numbers(1)),
    ("contype", Numbers(1)),
    ("conaffinity", Numbers(1)),
    ("condim", Numbers(1)),
    ("friction", Numbers(3)),
    ("solref", Numbers(2)),
    ("solimp", Numbers(5)),
    ("margin", Numbers(1)),
    ("mass", Numbers(1)),
    ("density", Numbers(1)),
];

const JOINT: &[(&str, Kind)] = &[
    ("name", Name),
    ("class", Name),
    ("type", Word(&["hinge", "slide", "free", "ball"])),
    ("pos", Numbers(3)),
    ("axis", Numbers(3)),
    ("range", Numbers(2)),
    ("limited", FLAG),
    ("damping", Numbers(1)),
    ("armature", Numbers(1)),
    ("frictionloss", Numbers(1)),
    ("stiffness", Numbers(1)),
    ("ref", Numbers(1)),
    ("springref", Numbers(1)),
    ("actuatorfrcrange", Numbers(2)),
    // Where it couples joints, in a tendon or an equality.
    ("joint", Name),
    ("coef", Numbers(1)),
    ("joint1", Name),
    ("joint2", Name),
    ("polycoef", Numbers(5)),
    ("solref", Numbers(2)),
    ("solimp", Numbers(5)),
];

const ACTUATOR: &[(&str, Kind)] = &[
    ("name", Name),
    ("class", Name),
    ("joint", Name),
    ("ctrllimited", FLAG),
    ("ctrlrange", Numbers(2)),
    ("forcelimited", FLAG),
    ("forcerange", Numbers(2)),
    ("kp", Numbers(1)),
    ("kv", Numbers(1)),
    ("gear", Numbers(6)),
    ("tendon", Name),
    ("gainprm", Numbers(10)),
    ("biasprm", Numbers(10)),
    ("gaintype", Word(&["fixed", "affine"])),
    ("biastype", Word(&["none", "affine"])),
    ("dyntype", Word(&["none"])),
];

const SITE: &[(&str, Kind)] = &[
    ("name", Name),
    ("class", Name),
    ("type", SHAPE),
    ("pos", Numbers(3)),
    ("quat", Numbers(4)),
    ("size", Numbers(3)),
    ("rgba", Numbers(4)),
    ("group", Numbers(1)),
    ("material", Name),
    // Sites have no meshes; MuJoCo would refuse the attribute.
    ("mesh", Ignored),
];

const CAMERA: &[(&str, Kind)] = &[
    ("name", Name),
    ("mode", Word(&["fixed"])),
    ("pos", Numbers(3)),
    ("quat", Numbers(4)),
    ("fovy", Numbers(1)),
];

const LIGHT: &[(&str, Kind)] = &[
    ("name", Name),
    ("mode", Word(&["fixed", "track", "trackcom"])),
    ("pos", Numbers(3)),
    ("dir", Numbers(3)),
    ("diffuse", Numbers(3)),
    ("specular", Numbers(3)),
    ("ambient", Numbers(3)),
    ("directional", FLAG),
    ("castshadow", FLAG),
];

const TEXTURE: &[(&str, Kind)] = &[
    ("name", Name),
    ("type", Word(&["2d", "cube", "skybox"])),
    ("file", File),
    ("builtin", Word(&["gradient", "flat", "checker"])),
    ("rgb1", Numbers(3)),
    ("rgb2", Numbers(3)),
    ("width", Numbers(1)),
    ("height", Numbers(1)),
    ("colorspace", Word(&["auto", "linear", "sRGB"])),
];

const MATERIAL: &[(&str, Kind)] = &[
    ("name", Name),
    ("class", Name),
    ("texture", Name),
    ("texrepeat", Numbers(2)),
    ("texuniform", FLAG),
    ("reflectance", Numbers(1)),
    ("shininess", Numbers(1)),
    ("specular", Numbers(1)),
    ("emission", Numbers(1)),
    ("rgba", Numbers(4)),
];

const ALLOWED: &[Row] = &[
    ("mujoco", &[("model", Ignored)]),
    (
        "compiler",
        &[
            ("angle", Word(&["radian", "degree"])),
            ("inertiafromgeom", FLAG),
            ("inertiagrouprange", Numbers(2)),
            ("meshdir", Ignored),
            ("texturedir", Ignored),
            ("autolimits", FLAG),
        ],
    ),
    (
        "option",
        &[
            ("timestep", Numbers(1)),
            ("impratio", Numbers(1)),
            ("cone", Word(&["elliptic", "pyramidal"])),
            ("density", Numbers(1)),
            ("viscosity", Numbers(1)),
            ("gravity", Numbers(3)),
            ("integrator", Word(&["Euler", "RK4", "implicit", "implicitfast"])),
            ("iterations", Numbers(1)),
            ("ls_iterations", Numbers(1)),
        ],
    ),
    (
        "flag",
        &[
            ("nativeccd", Word(&["enable", "disable"])),
            ("multiccd", Word(&["enable", "disable"])),
            ("eulerdamp", Word(&["enable", "disable"])),
        ],
    ),
    ("size", &[("njmax", Ignored), ("nconmax", Ignored)]),
    ("visual", &[]),
    ("map", &[("znear", Numbers(1)), ("zfar", Numbers(1))]),
    ("default", &[("class", Name)]),
    ("asset", &[]),
    ("worldbody", &[]),
    ("actuator", &[]),
    ("sensor", &[]),
    ("equality", &[]),
    ("tendon", &[]),
    ("contact", &[]),
    (
        "body",
        &[
            ("name", Name),
            ("childclass", Name),
            ("pos", Numbers(3)),
            ("quat", Numbers(4)),
            ("euler", Numbers(3)),
        ],
    ),
    (
        "inertial",
        &[
            ("pos", Numbers(3)),
            ("quat", Numbers(4)),
            ("mass", Numbers(1)),
            ("diaginertia", Numbers(3)),
            ("fullinertia", Numbers(6)),
        ],
    ),
    ("geom", GEOM),
    ("joint", JOINT),
    ("site", SITE),
    ("camera", CAMERA),
    ("light", LIGHT),
    ("texture", TEXTURE),
    ("material", MATERIAL),
    ("mesh", &[("name", Name), ("class", Name), ("file", File), ("scale", Numbers(3))]),
    ("motor", ACTUATOR),
    ("position", ACTUATOR),
    ("general", ACTUATOR),
    ("freejoint", &[("name", Name), ("group", Numbers(1))]),
    ("fixed", &[("name", Name), ("range", Numbers(2)), ("limited", FLAG)]),
    ("exclude", &[("name", Name), ("body1", Name), ("body2", Name)]),
    ("keyframe", &[]),
    (
        "key",
        &[
            ("name", Name),
            ("time", Numbers(1)),
            ("qpos", Numbers(512)),
            ("qvel", Numbers(512)),
            ("ctrl", Numbers(512)),
        ],
    ),
    ("force", &[("name", Name), ("site", Name)]),
    ("torque", &[("name", Name), ("site", Name)]),
];

/// The table's own word for an element, and its attributes.
pub(super) fn element(tag: &str) -> Option<&'static Row> {
    ALLOWED.iter().find(|(name, _)| *name == tag)
}

/// The table's own word for an attribute, and what its value is.
pub(super) fn attribute(tag: &str, name: &str) -> Option<(&'static str, Kind)> {
    element(tag)?.1.iter().find(|(own, _)| *own == name).copied()
}

impl Kind {
    /// Say what is wrong with a value.
    pub(super) fn check(self, value: &str) -> Result<(), String> {
        match self {
            Numbers(most) => {
                let words: Vec<&str> = value.split_whitespace().collect();
                if words.is_empty() || words.len() > most {
                    return Err(format!("{value:?} is not one to {most} numbers"));
                }
                let bad = words.iter().find(|w| {
                    let digits = w.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
                    !digits || !f64::from_str(w).is_ok_and(|v| v.is_finite() && v.abs() <= 1e9)
                });
                bad.map_or(Ok(()), |w| Err(format!("{w:?} is not a number that can be used")))
            }
            Name => {
                let ok = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
                if value.is_empty() || value.len() > 200 || !value.bytes().all(ok) {
                    return Err(format!("{value:?} is not a name of letters, digits, _, - and ."));
                }
                Ok(())
            }
            Word(words) if !words.contains(&value) => {
                Err(format!("{value:?} is not one of {}", words.join(", ")))
            }
            File if value.is_empty() => Err("a file has no name".into()),
            _ => Ok(()),
        }
    }
}
