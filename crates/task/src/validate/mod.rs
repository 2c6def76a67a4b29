//! Whether a task makes sense, before anything is sampled or simulated.

mod bind;

use std::collections::BTreeSet;

use longarm_assets::Affordance;
use longarm_types::{Seed, hint};

use crate::place::{Init, PartStart, Place};
use crate::stage::Stages;
use crate::template::{Piece, pieces};
use crate::{Paint, SpecError, TaskSpec};

impl TaskSpec {
    /// The first mistake, if there is one.
    pub fn validate(&self) -> Result<(), SpecError> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong.
    pub fn problems(&self) -> Vec<SpecError> {
        if self.instances.is_some() {
            // A template is as sound as what it makes.
            return self.instance(Seed(0)).problems();
        }
        let mut check = Check { spec: self, task: self.id.to_string(), found: Vec::new() };
        check.names();
        check.objects();
        check.regions();
        check.placements();
        // Binding needs names that resolve at all.
        if check.found.is_empty() {
            let assets = self.objects.iter().map(|o| o.assets.len());
            let choices =
                assets.chain(self.aliases.values().map(|a| a.of.len())).max().unwrap_or(1);
            for k in 0..choices.max(1) {
                check.bind(k);
            }
            check.stages();
        }
        check.templates();
        check.numbers();
        check.found.extend(self.show_problems());
        let mut seen = Vec::new();
        check.found.retain(|e| {
            let new = !seen.contains(e);
            seen.push(e.clone());
            new
        });
        check.found
    }
}

struct Check<'a> {
    spec: &'a TaskSpec,
    task: String,
    found: Vec<SpecError>,
}

impl Check<'_> {
    fn task(&self) -> String {
        self.task.clone()
    }

    fn try_(&mut self, r: Result<impl Sized, SpecError>) {
        self.found.extend(r.err());
    }

    fn known_object(&mut self, name: &str) -> bool {
        let known = self.spec.object(name).is_some();
        if !known {
            let hint = hint(name, self.spec.objects.iter().map(|o| o.name.as_str()));
            let (task, name) = (self.task(), name.to_owned());
            self.found.push(SpecError::Unknown { task, kind: "object", name, hint });
        }
        known
    }

    fn known_variable(&mut self, name: &str) {
        if !self.spec.variables.contains_key(name) {
            let hint = hint(name, self.spec.variables.keys().map(String::as_str));
            let (task, name) = (self.task(), name.to_owned());
            self.found.push(SpecError::Unknown { task, kind: "variable", name, hint });
        }
    }

    fn names(&mut self) {
        let spec = self.spec;
        let mut seen = BTreeSet::new();
        let objects = spec.objects.iter().map(|o| &o.name);
        let regions = spec.regions.iter().map(|r| &r.name);
        for name in objects.chain(regions).chain(spec.groups.keys()).chain(spec.aliases.keys()) {
            if !seen.insert(name) {
                self.found.push(SpecError::Duplicate { task: self.task(), name: name.clone() });
            }
        }
        for members in spec.groups.values() {
            for m in members {
                self.known_object(m);
            }
        }
        for name in &spec.interest {
            self.known_object(name);
        }
        for (name, alias) in &spec.aliases {
            self.known_variable(&alias.variable);
            let values = spec.variables.get(&alias.variable).map_or(0, Vec::len);
            if values != 0 && values != alias.of.len() {
                self.found.push(SpecError::ChoiceCount {
                    task: self.task(),
                    name: name.clone(),
                    variable: alias.variable.clone(),
                    places: alias.of.len(),
                    values,
                });
            }
        }
    }

    fn objects(&mut self) {
        let spec = self.spec;
        for (name, values) in &spec.variables {
            if values.is_empty() {
                self.found.push(SpecError::EmptyVariable { task: self.task(), name: name.clone() });
            }
        }
        for o in &spec.objects {
            let name = o.name.clone();
            if o.assets.is_empty() {
                self.found.push(SpecError::NoAsset { task: self.task(), name: name.clone() });
            }
            if let Some(w) = &o.when {
                self.known_variable(&w.variable);
            }
            match &o.paint {
                Paint::Own => {}
                Paint::SameAs(other) => {
                    self.known_object(other);
                }
                Paint::OneOf { colours, unlike } => {
                    if colours.is_empty() {
                        self.found.push(SpecError::NoColour { task: self.task(), name });
                    }
                    for other in unlike {
                        self.known_object(other);
                    }
                }
            }
        }
        let looks_at = |name: &str| match spec.object(name).map(|o| &o.paint) {
            Some(Paint::SameAs(other)) => vec![other.clone()],
            Some(Paint::OneOf { unlike, .. }) => unlike.clone(),
            _ => Vec::new(),
        };
        if let Some(names) = cycle(spec, &looks_at) {
            self.found.push(SpecError::ColourCycle { task: self.task(), names });
        }
    }

    fn regions(&mut self) {
        for r in &self.spec.regions {
            let sound = |x: f64| x.is_finite();
            let rects = r
                .rects
                .iter()
                .all(|q| [q.0, q.1, q.2, q.3].into_iter().all(sound) && q.0 <= q.2 && q.1 <= q.3);
            let rest = r.yaw.into_iter().chain([r.z, r.tolerance]).all(sound);
            if r.rects.is_empty() || !rects || !rest {
                self.found.push(SpecError::BadRegion { task: self.task(), name: r.name.clone() });
            } else if r.tolerance < 0.0 {
                let what = format!("the tolerance of region {:?}", r.name);
                let (task, value) = (self.task(), r.tolerance.to_string());
                self.found.push(SpecError::BadNumber { task, what, value, wanted: "0 or more" });
            }
        }
    }

    fn placements(&mut self) {
        let spec = self.spec;
        let Init { places, belts, .. } = &spec.init;
        for o in &spec.objects {
            match places.iter().filter(|p| p.object == o.name).count() {
                1 => {}
                0 => {
                    let e = SpecError::Unplaced { task: self.task(), name: o.name.clone() };
                    self.found.push(e);
                }
                _ => {
                    let e = SpecError::PlacedTwice { task: self.task(), name: o.name.clone() };
                    self.found.push(e);
                }
            }
        }
        for p in places {
            if self.known_object(&p.object) {
                self.place(&p.object, &p.place);
            }
        }
        for (belt, _) in belts {
            if self.known_object(belt) {
                let assets = spec.object(belt).map(|o| o.assets.as_slice()).unwrap_or_default();
                if !assets.iter().all(|a| a.info().affords(Affordance::Conveys)) {
                    let (task, name) = (self.task(), belt.clone());
                    let (wanted, place) = ("a conveyor", "a belt speed");
                    self.found.push(SpecError::WrongKind { task, name, wanted, place });
                }
            }
        }
        let stands_on = |name: &str| {
            let mut out = Vec::new();
            for p in places.iter().filter(|p| p.object == name) {
                p.place.names(&mut |n, _| {
                    out.push(n.split('/').next().unwrap_or(n).to_owned());
                });
            }
            out
        };
        if let Some(names) = cycle(spec, &stands_on) {
            self.found.push(SpecError::PlacementCycle { task: self.task(), names });
        }
    }

    fn place(&mut self, object: &str, place: &Place) {
        match place {
            Place::At(path) if self.spec.regions.iter().any(|r| r.name == *path) => {}
            Place::At(path) => match path.split_once('/') {
                None => {
                    let hint = hint(path, self.spec.regions.iter().map(|r| r.name.as_str()));
                    let (task, name) = (self.task(), path.clone());
                    self.found.push(SpecError::Unknown { task, kind: "region", name, hint });
                }
                Some((owner, _)) => {
                    self.known_object(owner);
                }
            },
            Place::On { object: other, .. } | Place::Under(other) => {
                self.known_object(other);
            }
            Place::Palm { limb, .. } => {
                let limbs = self.spec.rig.rig().limbs();
                if !limbs.iter().any(|l| l.name == *limb && l.palm().is_some()) {
                    let hands = limbs.iter().filter(|l| l.palm().is_some());
                    let hint = hint(limb, hands.map(|l| l.name.as_str()));
                    let (task, name) = (self.task(), limb.clone());
                    self.found.push(SpecError::Unknown {
                        task,
                        kind: "limb with a hand",
                        name,
                        hint,
                    });
                }
            }
            Place::Chosen { variable, places } => {
                self.known_variable(variable);
                let values = self.spec.variables.get(variable).map_or(0, Vec::len);
                if values != 0 && values != places.len() {
                    self.found.push(SpecError::ChoiceCount {
                        task: self.task(),
                        name: object.to_owned(),
                        variable: variable.clone(),
                        places: places.len(),
                        values,
                    });
                }
                for p in places {
                    self.place(object, p);
                }
            }
        }
    }

    fn templates(&mut self) {
        let spec = self.spec;
        let mut all = vec![spec.instruction.clone()];
        all.extend(spec.objects.iter().filter_map(|o| o.called.clone()));
        all.extend(spec.plan.written().into_iter().filter_map(|s| s.said.clone()));
        if let Stages::Listed(stages) = &spec.stages {
            all.extend(stages.iter().map(|s| s.sentence.clone()));
        }
        for text in all {
            let Ok(pieces) = pieces(&text) else {
                let task = self.task();
                self.found.push(SpecError::BadTemplate { task, template: text });
                continue;
            };
            for piece in pieces {
                self.piece(&piece);
            }
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        let spec = self.spec;
        match piece {
            Piece::Text(_) => {}
            Piece::Name(n) => {
                let alias = spec.aliases.contains_key(*n);
                if !alias && !spec.variables.contains_key(*n) && spec.object(n).is_none() {
                    let known = spec.variables.keys().map(String::as_str);
                    let known = known.chain(spec.objects.iter().map(|o| o.name.as_str()));
                    let (task, kind, name) = (self.task(), "variable or object", n.to_string());
                    let hint = hint(n, known);
                    self.found.push(SpecError::Unknown { task, kind, name, hint });
                }
            }
            Piece::Property(o, p) => {
                if !self.known_object(o) {
                    return;
                }
                let task = self.task();
                if !["colour", "noun"].contains(p) {
                    let (kind, name) = ("property", p.to_string());
                    let hint = hint(p, ["colour", "noun"]);
                    self.found.push(SpecError::Unknown { task, kind, name, hint });
                } else if *p == "colour" && spec.object(o).is_some_and(|o| o.paint == Paint::Own) {
                    let (name, wanted) = (o.to_string(), "given a colour");
                    let place = "a sentence about it";
                    self.found.push(SpecError::WrongKind { task, name, wanted, place });
                }
            }
        }
    }

    fn numbers(&mut self) {
        let spec = self.spec;
        let mut bad = |what: String, value: f64, ok: bool, wanted| {
            if !ok {
                let (task, value) = (self.task.clone(), value.to_string());
                self.found.push(SpecError::BadNumber { task, what, value, wanted });
            }
        };
        let not_negative = |v: f64| v.is_finite() && v >= 0.0;
        bad("the horizon".into(), f64::from(spec.horizon), spec.horizon > 0, "at least one step");
        let scale = spec.tool_scale;
        for (what, value) in
            [("tool_scale.metres", scale.metres), ("tool_scale.radians", scale.radians)]
        {
            bad(
                what.into(),
                value,
                (1e-3..=1.0).contains(&value),
                "from 0.001 to 1 per control step",
            );
        }
        let slow_to_fast = (0.1..=2.0).contains(&spec.pace);
        bad("the pace".into(), spec.pace, slow_to_fast, "0.1 to 2 times the expert's usual speed");
        let c = spec.init.clearance;
        bad("the clearance".into(), c, not_negative(c), "zero or more metres");
        if let Some(q) = spec.quiet {
            bad("the quiet time".into(), q, not_negative(q), "zero or more seconds");
        }
        for (belt, [lo, hi]) in &spec.init.belts {
            let ok = lo.is_finite() && hi.is_finite() && lo <= hi;
            bad(format!("the speed of {belt:?}"), *lo, ok, "a range of finite speeds");
        }
        for (part, start) in &spec.init.parts {
            if let PartStart::Between(lo, hi) = start {
                let ok = lo.is_finite() && hi.is_finite() && lo <= hi;
                bad(format!("the start of {part:?}"), *lo, ok, "a range of joint values");
            }
        }
        if let Stages::Listed(stages) = &spec.stages {
            for s in stages {
                bad(
                    format!("the hold time of {:?}", s.name),
                    s.hold,
                    not_negative(s.hold),
                    "zero or more seconds",
                );
            }
        }
    }
}

/// Names on a circle of references, if there is one.
fn cycle(spec: &TaskSpec, next: &dyn Fn(&str) -> Vec<String>) -> Option<String> {
    let mut open: Vec<&str> = spec.objects.iter().map(|o| o.name.as_str()).collect();
    loop {
        let before = open.len();
        let rest = open.clone();
        open.retain(|n| next(n).iter().any(|m| rest.contains(&m.as_str())));
        if open.is_empty() {
            return None;
        }
        if open.len() == before {
            return Some(open.join(", "));
        }
    }
}
