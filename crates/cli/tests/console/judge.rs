//! A judge with a tablet.

use std::time::Duration;

use serde_json::json;

use crate::common::browser::{Browser, Element};
use crate::lab::Lab;

const TABLET: (u32, u32) = (1024, 768);

/// A judge with a tablet.
pub struct Judge {
    pub browser: Browser,
}

impl Judge {
    pub fn come(lab: &Lab, name: &str, token: &str) -> Option<Self> {
        let profile = lab.dir.join(name);
        std::fs::create_dir_all(&profile).unwrap();
        let browser = Browser::start(&profile, TABLET.0, TABLET.1)?;
        browser.touch(true);
        browser.go(&lab.url("/sign-in"));
        browser.find("input[name=token]").type_text(token);
        browser.find("form.stack button").click();
        browser.until("it is signed in", || browser.url().ends_with("/account"));
        Some(Self { browser })
    }

    pub fn open(&self, lab: &Lab, path: &str) {
        self.browser.go(&lab.url(path));
    }

    /// Press a button of the page by its id, once it is there.
    pub fn press(&self, id: &str) {
        let b = &self.browser;
        b.until(&format!("{id} can be pressed"), || {
            let look = "const b = document.getElementById(arguments[0]); return !!b && !b.hidden && !b.disabled && b.offsetParent !== null";
            b.script(look, &[json!(id)]) == true
        });
        self.reach(&format!("#{id}")).click();
    }

    /// Scroll to an element as a judge does: the bar with the large button covers the lower edge.
    pub fn reach(&self, css: &str) -> Element<'_> {
        let to = "document.querySelector(arguments[0]).scrollIntoView({block: 'center'})";
        self.browser.script(to, &[json!(css)]);
        self.browser.find(css)
    }

    pub fn stage(&self) -> String {
        self.browser.find("#console").attribute("data-stage").unwrap_or_default()
    }

    pub fn becomes(&self, stage: &str) {
        self.browser.until(&format!("the episode is {stage}"), || self.stage() == stage);
    }

    /// Whether a frame lies over the live view.
    pub fn compares(&self) -> bool {
        self.browser.script("return !document.getElementById('over').hidden", &[]) == true
    }

    pub fn step(&self) -> u64 {
        self.browser.find("#step").text().parse().unwrap_or(0)
    }

    pub fn reaches(&self, step: u64) {
        self.browser.until(&format!("step {step} is reached"), || self.step() >= step);
    }

    pub fn phases(&self) -> usize {
        self.browser.all("[data-phase]").len()
    }

    pub fn tick(&self, kind: &str, i: usize) {
        let css = format!("[data-{kind}='{i}']");
        let b = &self.browser;
        b.until(&format!("{css} can be ticked"), || {
            b.script(&format!("return !document.querySelector(\"{css}\").disabled"), &[]) == true
        });
        self.reach(&css).click();
        b.until(&format!("{css} is ticked"), || {
            b.find(&css).attribute("aria-pressed").as_deref() == Some("true")
        });
    }

    pub fn answer(&self, text: &str) {
        self.browser.find("dialog[open] #answer").type_text(text);
        self.browser.find("dialog[open] button[value=yes]").click();
    }

    pub fn picture(&self, lab: &Lab, name: &str) {
        // Pictures come and go; what is looked at has one.
        std::thread::sleep(Duration::from_millis(400));
        self.browser.screenshot(&lab.dir.join(format!("{name}.png")));
    }

    /// Nothing was refused by the page's policy.
    pub fn clean(&self) {
        let said = self.browser.console();
        let bad: Vec<_> = said
            .iter()
            .filter(|l| {
                l.contains("Content Security") || l.contains("Uncaught") || l.contains("TypeError")
            })
            .collect();
        assert!(bad.is_empty(), "{bad:?}");
    }
}
