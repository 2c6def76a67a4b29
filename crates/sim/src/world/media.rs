//! Media within a world.

use longarm_task::MediumReading;
use longarm_types::TIMESTEP;

use super::World;
use crate::medium::{Medium, Solids};

impl World {
    /// Put a medium into the world, as it begins an episode.
    ///
    /// Cameras draw media that were there when they were set up.
    pub fn add_medium(&mut self, mut medium: Box<dyn Medium>) {
        medium.reset();
        let values = vec![0.0; medium.measures().len()];
        self.snapshot.media.push(MediumReading { name: medium.name().to_owned(), values });
        self.media.push(medium);
        self.measure_media();
    }

    /// Return the media, in the order of the snapshot.
    pub fn media(&self) -> &[Box<dyn Medium>] {
        &self.media
    }

    /// Advances all media by one physics step, after which bodies feel what media did to them.
    pub(super) fn step_media(&mut self) {
        if self.media.is_empty() {
            return;
        }
        self.data.xfrc_applied_mut().fill([0.0; 6]);
        let mut solids = Solids { data: &mut self.data, geoms: &self.solids };
        for medium in &mut self.media {
            medium.step(TIMESTEP, &mut solids);
        }
    }

    pub(super) fn reset_media(&mut self) {
        for medium in &mut self.media {
            medium.reset();
            let values = vec![0.0; medium.measures().len()];
            self.snapshot.media.push(MediumReading { name: medium.name().to_owned(), values });
        }
    }

    /// The states of all media, by name.
    pub(super) fn save_media(&self) -> Vec<(String, Vec<f64>)> {
        let saved = |medium: &dyn Medium| {
            let mut state = Vec::new();
            medium.save(&mut state);
            (medium.name().to_owned(), state)
        };
        self.media.iter().map(|m| saved(m.as_ref())).collect()
    }

    /// Returns all media to saved states; `false` if those belong to other media.
    pub(super) fn restore_media(&mut self, states: &[(String, Vec<f64>)]) -> bool {
        self.media.len() == states.len()
            && self
                .media
                .iter_mut()
                .zip(states)
                .all(|(m, (name, state))| m.name() == name && m.restore(state))
    }

    /// The fastest medium and its speed.
    pub(super) fn fastest_medium(&self) -> Option<(f64, &str)> {
        let speeds = self.media.iter().map(|m| (m.speed(), m.name()));
        speeds.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Puts what media measure into the snapshot.
    pub(super) fn measure_media(&mut self) {
        for (medium, reading) in self.media.iter().zip(&mut self.snapshot.media) {
            medium.measure(&mut reading.values);
        }
    }
}
