//! What an arm does next.

use super::*;

impl Episode {
    /// Decide what an arm does. Return whether it does anything now.
    pub(super) fn decide(&mut self, i: usize, s: &Snapshot) -> Result<bool, ExpertError> {
        self.arms[i].stand(s);
        let next = self.next(i, s);
        let others = self.others(i, s);
        let arm = &mut self.arms[i];
        let empty = s.hands[arm.limb].is_empty();
        arm.attempt.missed = arm.attempt.tries > 0 || arm.pieces > 0 && arm.reached && empty;
        let scene = self.model.at(s, arm.limb).beside(&others).seeing(self.sight.as_ref());
        let sets_off = match &next {
            Next::Do(op, _) => arm.set_off(&drive::needs(&op.op, &scene), s),
            _ => false,
        };
        let now = Moment { scene, limb: &arm.geometry, attempt: arm.attempt };
        match next {
            Next::Do(_, sentence) if sets_off => {
                let motions = skills::tuck(&now);
                arm.mover.load(motions);
                arm.doing = sentence;
                arm.state = State::Driving;
            }
            Next::Do(op, sentence) if matches!(op.op, Op::Pass { .. }) => {
                self.pass(i, s, *op, sentence)?;
            }
            Next::Do(op, sentence) if skills::searched(&op.op) => {
                arm.begin(*op, skills::Script::whole(Vec::new()), sentence);
                arm.state = State::Refining;
            }
            Next::Do(op, sentence) => {
                let script = skills::script(&op.op, &now)
                    .ok_or_else(|| ExpertError::Unknown(op.op.sentence()))?;
                arm.begin(*op, script, sentence);
            }
            Next::Wait => {
                arm.doing.clear();
                return Ok(false);
            }
            Next::HearAgain => {
                arm.current = None;
                arm.state = State::Waiting(HEAR_AGAIN);
            }
            Next::LookAgain => {
                // What is not seen now may be seen with the hand out of the way.
                arm.doing = "look again".into();
                arm.current = None;
                if skills::at_rest(&now) {
                    arm.state = State::Waiting(LOOK_AGAIN);
                } else {
                    let motions = skills::withdraw(&now);
                    arm.mover.load(motions);
                    arm.state = State::Moving;
                }
            }
            Next::Finish(said) => {
                // What several hands hold together is not let go.
                let keeps = s.hands.len() > 1 && !empty;
                let motions = if keeps { Vec::new() } else { skills::withdraw(&now) };
                arm.doing = said.into();
                arm.mover.load(motions);
                arm.state = State::Finished;
            }
        }
        Ok(true)
    }

    /// Return what a search for an arm's present operator aims at.
    pub(super) fn aim(&self, i: usize, env: &Env) -> Option<Turning> {
        let arm = &self.arms[i];
        let current = arm.current.as_ref()?;
        let scene = self.model.at(env.snapshot(), arm.limb);
        let object = scene.object(current.op.subject()?)?;
        let body = (object.body, &scene.info(object.instance).bounds);
        Some(Turning::new(current.effect.clone(), body, arm.limb, env.snapshot()))
    }

    /// Go on passing an object to another arm.
    fn pass(
        &mut self,
        i: usize,
        s: &Snapshot,
        op: BoundOp,
        sentence: String,
    ) -> Result<(), ExpertError> {
        let unknown = || ExpertError::Unknown(op.op.sentence());
        let Op::Pass { object, to, .. } = &op.op else { return Err(unknown()) };
        let k = s.hands.iter().position(|h| h.limb == *to).ok_or_else(unknown)?;
        self.arms[k].stand(s);
        let (from, to) = (self.moment(i, s), self.moment(k, s));
        let object = from.scene.object(object).ok_or_else(unknown)?;
        let known = self.arms[i].meeting;
        let Some(meeting) = known.or_else(|| skills::meeting(&from, &to, &object)) else {
            // Nowhere from here: go home with it and look again.
            let script = skills::Script::part(skills::withdraw_holding(&from));
            self.arms[i].begin(op, script, sentence);
            return Ok(());
        };
        let acts = skills::pass(&from, &to, &object, &meeting);
        let arm = &mut self.arms[i];
        (arm.helper, arm.meeting) = (Some(k), Some(meeting));
        match acts {
            Pass::Give(script) => arm.begin(op, script, sentence),
            Pass::Take(script) => {
                let motions = script.motions;
                let waits = skills::Script { motions: Vec::new(), ..script };
                arm.begin(op, waits, sentence);
                self.arms[k].mover.load(motions);
            }
        }
        self.arms[k].state = State::Helping;
        self.arms[k].doing.clear();
        Ok(())
    }
}
