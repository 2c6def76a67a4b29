//! Analytic shapes on a table, seen by two cameras: for tests.

use longarm_types::{Bounds, Calibration, CameraImage, DQuat, DVec3, Rng, Seed};

use crate::{Cloud, Perception};

type Distance = Box<dyn Fn(DVec3) -> f64>;

/// A solid given by the distance to its surface.
pub(crate) struct Shape {
    pub(crate) segment: i32,
    pub(crate) distance: Distance,
}

fn shape(distance: impl Fn(DVec3) -> f64 + 'static) -> Shape {
    Shape { segment: 1, distance: Box::new(distance) }
}

fn box_distance(p: DVec3, half: DVec3) -> f64 {
    let d = p.abs() - half;
    d.max(DVec3::ZERO).length() + d.max_element().min(0.0)
}

pub(crate) fn cuboid(centre: DVec3, half: DVec3) -> Shape {
    shape(move |p| box_distance(p - centre, half))
}

pub(crate) fn turned(centre: DVec3, rot: DQuat, half: DVec3) -> Shape {
    shape(move |p| box_distance(rot.conjugate() * (p - centre), half))
}

/// A solid cylinder that stands.
pub(crate) fn cylinder(centre: DVec3, radius: f64, half: f64) -> Shape {
    shape(move |p| {
        let p = p - centre;
        let (r, z) = (p.truncate().length() - radius, p.z.abs() - half);
        r.max(0.0).hypot(z.max(0.0)) + r.max(z).min(0.0)
    })
}

/// The lower half of a ball's shell.
pub(crate) fn bowl(centre: DVec3, radius: f64, wall: f64) -> Shape {
    shape(move |p| {
        let p = p - centre;
        let shell = (p.length() - radius + wall / 2.0).abs() - wall / 2.0;
        shell.max(p.z)
    })
}

/// A standing tube with a bottom, and a ring beside it.
pub(crate) fn mug(radius: f64, height: f64) -> [Shape; 2] {
    let wall = 0.004;
    let body = shape(move |p| {
        let r = p.truncate().length();
        let tube = ((r - radius + wall / 2.0).abs() - wall / 2.0)
            .max((p.z - height / 2.0).abs() - height / 2.0);
        let bottom = (r - radius).max((p.z - wall).abs() - wall);
        tube.min(bottom)
    });
    let handle = shape(move |p| {
        let p = p - DVec3::new(radius + 0.008, 0.0, height / 2.0);
        let ring = p.x.hypot(p.z) - 0.022;
        ring.hypot(p.y) - 0.005
    });
    [body, handle]
}

/// Return the picture of shapes on a table from an eye.
fn picture(shapes: &[Shape], eye: DVec3, target: DVec3) -> CameraImage {
    const SIDE: usize = 192;
    const FOCAL: f64 = 230.0;
    let ahead = (target - eye).normalize();
    let right = ahead.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::Y);
    let down = ahead.cross(right);
    let mut image =
        CameraImage { name: "eye".into(), width: SIDE, height: SIDE, ..CameraImage::default() };
    for (y, x) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (y, x))) {
        let off = |pixel: usize| (pixel as f64 + 0.5 - SIDE as f64 / 2.0) / FOCAL;
        let way = (ahead + right * off(x) + down * off(y)).normalize();
        let (mut far, mut hit) = (0.0, -1);
        for _ in 0..120 {
            let p = eye + way * far;
            let each = shapes.iter().map(|s| (0.9 * (s.distance)(p), s.segment));
            let near = each.chain([(p.z, 0)]).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            if near.0 < 1e-4 {
                hit = near.1;
                break;
            }
            far += near.0;
            if far > 3.0 {
                break;
            }
        }
        image.segment.push(hit);
        image.depth.push(if hit < 0 { 0.0 } else { (far * way.dot(ahead)) as f32 });
    }
    let row = |k: usize| [right[k] as f32, down[k] as f32, ahead[k] as f32];
    image.calibration = Calibration {
        focal: [FOCAL as f32; 2],
        centre: [SIDE as f32 / 2.0; 2],
        position: eye.to_array().map(|c| c as f32),
        rotation: [row(0), row(1), row(2)],
    };
    image
}

/// Return what an eye before and one almost above a table see of shapes on it.
pub(crate) fn scene(shapes: &[Shape]) -> Cloud {
    noisy(shapes, Perception::default(), &mut Seed(0).stream("none"))
}

/// The same with noise.
pub(crate) fn noisy(shapes: &[Shape], perception: Perception, rng: &mut Rng) -> Cloud {
    let target = DVec3::Z * 0.03;
    let eyes = [DVec3::new(0.55, 0.0, 0.5), DVec3::new(-0.12, 0.03, 0.45)];
    let images = eyes.map(|eye| picture(shapes, eye, target));
    let within = Bounds { centre: [0.0; 3], half: [0.4, 0.4, 0.4] };
    Cloud::see(&images, &within, perception, rng)
}
