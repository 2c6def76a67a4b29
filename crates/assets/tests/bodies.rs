//! Forward kinematics against an independent program that was given the makers' published numbers: where
//! links and fingertips are, in metres and w-x-y-z quaternions.
#![allow(clippy::approx_constant, reason = "joint values, as they were drawn")]

use longarm_assets::robots::{End, Grip, RobotName};
use longarm_types::{DQuat, Pose};

/// Robot, joint values, poses of some of its links.
type Row = (&'static str, &'static [f64], &'static [(&'static str, [f64; 3], [f64; 4])]);

const ROWS: &[Row] = &[
    (
        "xarm7",
        &[0.0, -0.247, 0.0, 0.909, 0.0, 1.15644, 0.0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
        &[
            ("link3", [-0.071637, 0.000000, 0.671108], [0.992384, 0.000000, -0.123186, 0.000000]),
            ("link7", [0.399915, 0.000000, 0.519809], [0.000000, 1.000000, 0.000000, -0.000220]),
            (
                "left_finger",
                [0.399867, 0.056458, 0.410069],
                [0.000220, 0.000000, -1.000000, -0.000000],
            ),
            (
                "right_inner_knuckle",
                [0.399882, -0.020000, 0.445711],
                [0.000218, -0.000033, -0.988771, -0.149438],
            ),
        ],
    ),
    (
        "xarm7",
        &[0.5, 0.3, -0.4, 1.2, 0.7, 0.9, -1.1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
        &[
            ("link3", [0.075988, 0.041512, 0.666914], [0.987535, -0.065000, 0.134561, 0.049418]),
            ("link7", [0.526661, 0.083714, 0.417115], [-0.180038, 0.901976, 0.372967, 0.122154]),
            (
                "left_finger",
                [0.495637, 0.166445, 0.330956],
                [-0.122154, 0.372967, -0.901976, -0.180038],
            ),
            (
                "right_inner_knuckle",
                [0.547374, 0.101392, 0.345359],
                [-0.065047, 0.387034, -0.864943, -0.312806],
            ),
        ],
    ),
    (
        "xarm7",
        &[-1.3, -0.8, 1.9, 2.2, -2.4, -0.6, 2.7, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
        &[
            ("link3", [-0.056224, 0.202526, 0.591135], [0.879923, -0.389252, 0.011371, 0.272192]),
            ("link7", [0.174270, 0.566929, 0.603163], [-0.125647, 0.633962, 0.530472, 0.548548]),
            (
                "left_finger",
                [0.190212, 0.671179, 0.539068],
                [-0.548548, 0.530472, -0.633962, -0.125647],
            ),
            (
                "right_inner_knuckle",
                [0.232138, 0.613745, 0.584451],
                [-0.463116, 0.606489, -0.608066, -0.218974],
            ),
        ],
    ),
    (
        "leap-right",
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            ("rf_md", [0.046010, 0.068000, 0.119500], [-0.500003, 0.500000, -0.499997, -0.500000]),
            ("th_ds", [-0.082300, -0.076700, 0.106900], [-0.000000, 0.000001, -1.000000, 0.000000]),
            (
                "if_tip",
                [0.130200, -0.007600, 0.119500],
                [-0.500003, 0.500000, -0.499997, -0.500000],
            ),
            ("mf_tip", [0.130100, 0.037800, 0.119500], [-0.500003, 0.500000, -0.499997, -0.500000]),
            ("rf_tip", [0.130100, 0.083200, 0.119500], [-0.500003, 0.500000, -0.499997, -0.500000]),
            (
                "th_tip",
                [-0.082300, -0.136700, 0.121900],
                [-0.000000, 0.000001, -1.000000, 0.000000],
            ),
        ],
    ),
    (
        "leap-right",
        &[0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 1.2, 0.6, 0.4, 0.8],
        &[
            ("rf_md", [0.040902, 0.079993, 0.152502], [-0.512483, 0.815432, 0.076986, -0.257885]),
            ("th_ds", [-0.059022, -0.027452, 0.190094], [0.103280, 0.582928, -0.556534, 0.582922]),
            ("if_tip", [0.105352, 0.014069, 0.182816], [-0.609661, 0.703375, -0.172736, -0.322086]),
            ("mf_tip", [0.062890, 0.068403, 0.213155], [-0.617935, 0.758119, 0.099730, -0.182938]),
            ("rf_tip", [0.015213, 0.112299, 0.220832], [-0.571326, 0.730568, 0.370306, -0.052256]),
            ("th_tip", [-0.021337, 0.005639, 0.226285], [0.103280, 0.582928, -0.556534, 0.582922]),
        ],
    ),
    (
        "leap-right",
        &[1.0, 0.3, 0.9, 0.7, 1.1, -0.1, 0.8, 0.9, 0.9, -0.4, 1.2, 0.5, 0.5, 1.5, -0.3, -0.9],
        &[
            ("rf_md", [0.021093, 0.063287, 0.155502], [-0.752267, 0.585518, 0.068179, 0.294305]),
            (
                "th_ds",
                [-0.068610, -0.072421, 0.144982],
                [-0.647304, -0.261109, -0.680340, -0.223512],
            ),
            ("if_tip", [-0.032798, 0.003009, 0.221141], [-0.559315, 0.657916, 0.437587, 0.250659]),
            ("mf_tip", [-0.040661, 0.034404, 0.216555], [-0.593473, 0.560497, 0.375976, 0.438491]),
            ("rf_tip", [-0.034916, 0.074603, 0.215609], [-0.656068, 0.550448, 0.210919, 0.471269]),
            (
                "th_tip",
                [-0.087528, -0.117736, 0.107384],
                [-0.647304, -0.261109, -0.680340, -0.223512],
            ),
        ],
    ),
    (
        "leap-left",
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[
            (
                "rf_md",
                [-0.029400, -0.004900, 0.093000],
                [-0.500003, 0.500000, -0.499997, -0.500000],
            ),
            ("th_ds", [-0.157800, 0.167900, 0.109801], [0.000001, -0.000000, -0.000006, 1.000000]),
            ("if_tip", [0.054700, 0.101100, 0.093000], [-0.500003, 0.500000, -0.499997, -0.500000]),
            ("mf_tip", [0.054700, 0.055700, 0.093000], [-0.500003, 0.500000, -0.499997, -0.500000]),
            ("rf_tip", [0.054690, 0.010300, 0.093000], [-0.500003, 0.500000, -0.499997, -0.500000]),
            ("th_tip", [-0.157800, 0.227900, 0.094801], [0.000001, -0.000000, -0.000006, 1.000000]),
        ],
    ),
    (
        "leap-left",
        &[0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 1.2, 0.6, 0.4, 0.8],
        &[
            ("rf_md", [-0.034508, 0.007093, 0.126002], [-0.512483, 0.815432, 0.076986, -0.257885]),
            ("th_ds", [-0.134522, 0.115136, 0.164961], [0.307489, 0.505887, -0.307491, 0.744969]),
            ("if_tip", [0.029852, 0.122769, 0.156316], [-0.609661, 0.703375, -0.172736, -0.322086]),
            ("mf_tip", [-0.012510, 0.086303, 0.186655], [-0.617935, 0.758119, 0.099730, -0.182938]),
            ("rf_tip", [-0.060197, 0.039399, 0.194332], [-0.571326, 0.730568, 0.370306, -0.052256]),
            ("th_tip", [-0.096836, 0.163983, 0.169297], [0.307489, 0.505887, -0.307491, 0.744969]),
        ],
    ),
    (
        "leap-left",
        &[1.0, 0.3, 0.9, 0.7, 1.1, -0.1, 0.8, 0.9, 0.9, -0.4, 1.2, 0.5, 0.5, 1.5, -0.3, -0.9],
        &[
            ("rf_md", [-0.054317, -0.009613, 0.129002], [-0.752267, 0.585518, 0.068179, 0.294305]),
            ("th_ds", [-0.144111, 0.149453, 0.144417], [-0.539482, 0.442876, -0.522325, 0.489894]),
            ("if_tip", [-0.108298, 0.111709, 0.194641], [-0.559315, 0.657916, 0.437587, 0.250659]),
            ("mf_tip", [-0.116061, 0.052304, 0.190055], [-0.593473, 0.560497, 0.375976, 0.438491]),
            ("rf_tip", [-0.110326, 0.001703, 0.189109], [-0.656068, 0.550448, 0.210919, 0.471269]),
            ("th_tip", [-0.163029, 0.142298, 0.202863], [-0.539482, 0.442876, -0.522325, 0.489894]),
        ],
    ),
    (
        "panda",
        &[0.1, -0.5, 0.2, -2.0, 0.3, 1.8, 0.4, 0.02, 0.03],
        &[
            ("link4", [-0.081775, 0.008268, 0.649080], [0.603919, 0.422165, 0.523597, -0.427675]),
            ("hand", [0.384879, 0.169462, 0.679402], [-0.094082, 0.932744, 0.314335, 0.149435]),
            (
                "left_finger",
                [0.409995, 0.169504, 0.623013],
                [-0.094082, 0.932744, 0.314335, 0.149435],
            ),
            (
                "right_finger",
                [0.379269, 0.208739, 0.627091],
                [-0.149435, 0.314335, -0.932744, -0.094082],
            ),
        ],
    ),
];

#[test]
fn links_and_fingertips_are_where_published_numbers_put_them() {
    for (name, q, links) in ROWS {
        let robot = RobotName::find(name).unwrap().spec();
        assert_eq!(robot.joints(true).len(), q.len(), "{name}");
        let poses = robot.link_poses(q);
        for (link, pos, wxyz) in *links {
            let found = poses.iter().find(|(n, _)| n == link);
            let (_, pose) = found.unwrap_or_else(|| panic!("{name} has no link {link}"));
            let (far, turn) = pose.error_to(&Pose::from_arrays(*pos, *wxyz));
            assert!(far < 2e-6 && turn < 1e-5, "{name} {link}: {far} m, {turn} rad");
        }
    }
}

#[test]
fn a_gripper_may_be_left_out_and_a_hand_may_not() {
    let arm = RobotName::find("xarm7").unwrap().spec();
    assert_eq!((arm.dof(), arm.joints(false).len(), arm.joints(true).len()), (7, 7, 13));
    let open = arm.link_poses(&arm.home());
    assert!(open.iter().any(|(n, _)| n == "left_outer_knuckle"));
    let hand = RobotName::find("leap-right").unwrap().spec();
    assert_eq!((hand.dof(), hand.home().len()), (16, 16));
    let names: Vec<String> = hand.joints(true).into_iter().map(|j| j.name).collect();
    assert_eq!(names[..5], ["mcp", "rot", "pip", "dip", "mcp"]);
}

#[test]
fn fingertips_reach_points_in_front_of_the_palm() {
    for name in ["leap-right", "leap-left", "panda-leap"] {
        let robot = RobotName::find(name).unwrap().spec();
        let limb = &robot.limbs[0];
        let End::Hand(hand) = &limb.end else { panic!("{name} has no hand") };
        for (i, finger) in hand.fingers.iter().enumerate() {
            let start = &hand.home[4 * i..4 * i + 4];
            // From where another posture puts the tip, back to that posture or one like it.
            let goal: Vec<f64> = start.iter().map(|q| q + 0.3).collect();
            let chain = finger.chain();
            let forward = |q: &[f64]| {
                let mut joints = longarm_assets::kinematics::Joints::default();
                joints[..q.len()].copy_from_slice(q);
                chain.forward(&joints).pos
            };
            let found = finger.reach(forward(&goal), start);
            assert!(found.position_error < 1e-4, "{name} {}: {:?}", finger.name, found);
            assert!((chain.forward(&found.joints).pos - forward(&goal)).length() < 1e-4);
        }
    }
}

#[test]
fn synergies_close_fingers_on_the_thumb() {
    let robot = RobotName::find("leap-right").unwrap().spec();
    let End::Hand(hand) = &robot.limbs[0].end else { panic!("it has a hand") };
    let tips = |grip: Grip, share: f64| {
        let way = hand.synergy(grip).unwrap();
        let q: Vec<f64> = way.posture(share).collect();
        let poses = robot.limbs[0].link_poses(&Pose::IDENTITY, &q);
        let tip = |f: &str| poses.iter().find(|(n, _)| *n == format!("{f}_tip")).unwrap().1.pos;
        ["if", "mf", "rf", "th"].map(tip)
    };
    for grip in [Grip::Power, Grip::Pinch, Grip::Tripod] {
        let gap = |s: f64| (tips(grip, s)[0] - tips(grip, s)[3]).length();
        assert!(gap(0.0) > 0.1, "{grip:?} open: {}", gap(0.0));
        let least = (0..=20).map(|k| gap(f64::from(k) / 20.0)).fold(f64::MAX, f64::min);
        assert!(least < 0.05, "{grip:?}: {least}");
    }
    for grip in [Grip::Power, Grip::Pinch, Grip::Tripod, Grip::Hook, Grip::PalmPress] {
        let way = hand.synergy(grip).unwrap();
        for share in [0.0, 0.5, 1.0] {
            for ((_, j), q) in hand.joints().zip(way.posture(share)) {
                assert!((j.range[0]..=j.range[1]).contains(&q), "{grip:?}: {} at {q}", j.name);
            }
        }
    }
}

#[test]
fn a_base_turns_what_stands_on_it() {
    let robot = RobotName::find("tidybot-panda").unwrap().spec();
    let mut q = robot.home();
    let tool = |q: &[f64]| robot.link_poses(q).pop().unwrap().1;
    let before = tool(&q);
    q[..3].copy_from_slice(&[0.4, -0.2, 1.0]);
    let moved = Pose::new([0.4, -0.2, 0.0].into(), DQuat::from_rotation_z(1.0));
    let (far, turn) = (moved * before).error_to(&tool(&q));
    assert!(far < 1e-9 && turn < 1e-6, "{far} {turn}");
}
