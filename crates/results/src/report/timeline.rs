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

/// Write the page of an episode.
pub fn timeline(title: &str, about: &str, moments: &[Moment]) -> String {
    let mut page = Html::default();
    super::begin(&mut page, title);
    page.raw("<header>").el("p", "kicker", "longarm agent").el("h1", "", title);
    page.el("p", "lead", about).raw("</header>");
    for m in moments {
        let late = if m.due > m.step { format!(", answered at {}", m.due) } else { String::new() };
        page.raw("<section>").el("h2", "", &format!("Step {}{late}", m.step));
        page.el("p", "lead", m.said.as_deref().unwrap_or("Done."));
        let verdict = |what: &str, yes: &str, no: &str, found: Option<bool>| {
            found.map(|f| format!("{what}: {}", if f { yes } else { no }))
        };
        let verdicts = [
            verdict("Plan", "allowed", "not allowed", m.allowed),
            verdict("Effect", "came about", "did not come about", m.effect),
        ];
        for line in verdicts.into_iter().flatten() {
            page.el("p", "note", &line);
        }
        if let Some(why) = &m.failed {
            page.el("p", "note", &format!("Before: {why}"));
        }
        for picture in &m.pictures {
            page.raw("<img loading=\"lazy\" alt=\"what was seen\" src=\"").raw(&picture.data_url());
            page.raw("\">");
        }
        let (asked, answered) = match &m.exchange {
            Some((asked, answered)) => (Some(asked.as_str()), Some(answered.as_str())),
            None => (None, None),
        };
        let report = m.report.join("\n");
        let report = Some(report.as_str()).filter(|r| !r.is_empty());
        for (name, text) in [("Report", report), ("Question", asked), ("Answer", answered)] {
            if let Some(text) = text {
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
        let page = timeline("<b>", "an agent", &[moment]);
        assert!(page.contains("not allowed") && page.contains("&lt;script&gt;"), "{page}");
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
    }
}
