//! What the cameras see, saw at the first frame, and should see.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use longarm_data::image::{encode_jpeg, encode_png};
use longarm_data::write_atomically;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_types::Seed;

use super::Console;
use crate::app::App;
use crate::http::{Answer, Refusal, waiting};

fn picture(kind: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], bytes).into_response()
}

/// What a camera sees now.
pub(crate) async fn live(State(app): State<Arc<App>>, Path(camera): Path<String>) -> Answer {
    let console = app.console()?;
    let sight = console.arm.sight();
    let camera =
        sight.as_ref().and_then(|s| s.observation.cameras.iter().find(|c| c.name == camera));
    let Some(c) = camera else {
        return Err(Refusal::missing("the bridge shows no such picture").page());
    };
    let jpeg = waiting(|| encode_jpeg(c.width, c.height, &c.rgb));
    let jpeg = jpeg.map_err(|e| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
    Ok(picture("image/jpeg", jpeg))
}

/// What a camera saw when an initialization was first set up here, or what it would see in the simulator.
pub(crate) async fn reference(
    State(app): State<Arc<App>>,
    Path((kind, suite, task, seed, camera)): Path<(String, String, String, u64, String)>,
) -> Answer {
    let console = app.console()?;
    let none = || Refusal::missing("there is no such picture").page();
    let task = format!("{suite}/{task}");
    let plain = |t: &str| t.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_/".contains(&b));
    if !plain(&task) || !plain(&camera) || camera.contains('/') {
        return Err(none());
    }
    let png = waiting(|| match kind.as_str() {
        "photo" => std::fs::read(console.photo(&task, seed, &camera)).ok(),
        "drawn" => console.drawn(&task, seed, &camera),
        _ => None,
    });
    Ok(picture("image/png", png.ok_or_else(none)?))
}

impl Console {
    fn photo(&self, task: &str, seed: u64, camera: &str) -> PathBuf {
        self.folder.join("first").join(task).join(format!("{seed}-{camera}.png"))
    }

    /// Keep what the cameras see as an episode starts, the first time.
    pub(crate) fn keep_photos(&self, task: &str, seed: u64) {
        let Some(sight) = self.arm.sight() else { return };
        for c in &sight.observation.cameras {
            let path = self.photo(task, seed, &c.name);
            if path.exists() {
                continue;
            }
            let wrote = encode_png(c.width, c.height, &c.rgb).and_then(|png| {
                std::fs::create_dir_all(path.parent().unwrap_or(&self.folder))
                    .map_err(longarm_data::Error::io("create", &path))?;
                write_atomically(&path, &png)
            });
            if let Err(why) = wrote {
                tracing::error!(%why, "the first frame is not kept");
            }
        }
    }

    /// Draw an initialization as a camera of the simulated robot sees it.
    fn drawn(&self, task: &str, seed: u64, camera: &str) -> Option<Vec<u8>> {
        let path = self.folder.join("drawn").join(task).join(format!("{seed}-{camera}.png"));
        if let Ok(png) = std::fs::read(&path) {
            return Some(png);
        }
        let spec = longarm_suites::task(task)?;
        spec.rig().cameras.iter().find(|c| c.name == camera)?;
        let only = Some(vec![camera.to_owned()]);
        let images = ImageSettings { only, smooth: true, ..ImageSettings::default() };
        let mut env = Env::new(Arc::new(spec), EnvSettings { images: Some(images) }).ok()?;
        env.reset(Seed(seed)).ok()?;
        let c = env.observe().cameras.iter().find(|c| c.name == camera)?;
        let png = encode_png(c.width, c.height, &c.rgb).ok()?;
        std::fs::create_dir_all(path.parent()?).ok()?;
        write_atomically(&path, &png).ok()?;
        Some(png)
    }
}
