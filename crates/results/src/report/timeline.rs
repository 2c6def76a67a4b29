//! What an agent thought, question by question: one page that needs nothing else.

use super::Picture;
use super::html::Html;

/// One question to a planner and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Control step of the question.
    pub step: u32,
    /// Control step from which the answer was known.
    pub due: u32,
    /// What was seen then.
    pub pictures: Vec<Picture>,
    /// Keyframes in the order in which the planner had them.
    pub remembered: Vec<String>,
    /// What the reporter said.
    pub report: Vec<String>,
    /// What a model was asked and what it answered, word by word.
    pub exchange: Option<(String, String)>,
    /// The next step; `None` when the planner took all to be done.
    pub said: Option<String>,
    /// Why the actor could not do what was said before.
    pub failed: Option<String>,
    /// Whether the task's plan allows it.
    pub allowed: Option<bool>,
    /// Whether it came about.
    pub effect: Option<bool>,
}

/// The episode that a timeline is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Story<'a> {
    /// Task and seed.
    pub title: &'a str,
    /// What was to be done.
    pub instruction: &'a str,
    /// What the agent is made of.
    pub agent: &'a str,
    /// How it ended.
    pub end: &'a str,
}

/// Write the page of an episode.
pub fn timeline(story: Story<'_>, moments: &[Moment]) -> String {
    let mut page = Html::default();
    super::begin(&mut page, story.title);
    page.raw("<header>").el("p", "kicker", "longarm agent").el("h1", "", story.title);
    page.el("p", "lead", story.instruction).el("p", "note", story.end);
    page.el("p", "why", story.agent).raw("</header>");
    for m in moments {
        let late = if m.due > m.step { format!(", answered at {}", m.due) } else { String::new() };
        page.raw("<section>").el("h2", "", &format!("Step {}{late}", m.step));
        page.el("p", "lead", m.said.as_deref().unwrap_or("Done."));
        if let Some(why) = &m.failed {
            page.el("p", "note wrong", &format!("The step before failed: {why}"));
        }
        for (yes, no, found) in [
            ("The plan allows it.", "The plan does not allow it.", m.allowed),
            ("It came about.", "It did not come about.", m.effect),
        ] {
            match found {
                Some(true) => page.el("p", "note", yes),
                Some(false) => page.el("p", "note wrong", no),
                None => &mut page,
            };
        }
        for picture in &m.pictures {
            page.raw("<img loading=\"lazy\" alt=\"what was seen\" src=\"").raw(&picture.data_url());
            page.raw("\">");
        }
        let (asked, answered) = match &m.exchange {
            Some((asked, answered)) => (Some(asked.as_str()), Some(answered.as_str())),
            None => (None, None),
        };
        let (report, remembered) = (m.report.join("\n"), m.remembered.join("\n"));
        for (name, text) in [
            ("Report", report.as_str()),
            ("Keyframes", remembered.as_str()),
            ("Question", asked.unwrap_or_default()),
            ("Answer", answered.unwrap_or_default()),
        ] {
            if !text.is_empty() {
                page.raw("<details><summary class=\"plain\">").text(name).raw("</summary><pre>");
                page.text(text).raw("</pre></details>");
            }
        }
        page.raw("</section>");
    }
    page.raw("</main></body></html>\n");
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_says_is_shown_and_never_obeyed() {
        let said = "</pre><script>alert(1)</script>".to_owned();
        let moment = Moment {
            exchange: Some(("what now?".into(), said.clone())),
            said: Some(said),
            allowed: Some(false),
            ..Moment::default()
        };
        let story = Story { title: "<b>", instruction: "Pour.", agent: "an agent", end: "Failed." };
        let page = timeline(story, &[moment]);
        assert!(page.contains("not allow") && page.contains("&lt;script&gt;"), "{page}");
        assert!(page.contains("Pour.") && page.contains("Failed."), "{page}");
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
    }
}
