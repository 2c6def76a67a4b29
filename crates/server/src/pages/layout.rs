//! What all pages share.

use longarm_results::stats::Interval;
use maud::{DOCTYPE, Markup, html};

use crate::http::Who;
use crate::model::{State, Trust};

/// A whole page; one that shows what goes on asks again by itself.
pub(super) fn page(title: &str, who: &Who, refresh: bool, body: &Markup) -> String {
    let account = who.0.as_ref().map(|k| &k.account);
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if refresh {
                    noscript { meta http-equiv="refresh" content="3"; }
                    script src="/page.js" defer {}
                }
                title { (title) " · longarm" }
                link rel="stylesheet" href="/style.css";
                link rel="icon" href="data:,";
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    nav aria-label="Site" {
                        a.brand href="/" { "longarm" }
                        a href="/" { "Boards" }
                        a href="/submit" { "Submit" }
                        @match account {
                            Some(a) => a href="/account" { (a.name) },
                            None => a href="/sign-in" { "Sign in" },
                        }
                    }
                }
                main id="main" { (body) }
                footer { p { "Every number here was computed on this server from episodes that it played. " a href="/submit#trust" { "What the trust levels mean" } } }
            }
        }
    };
    whole.into_string()
}

/// A success rate or score as a bar with its interval; `most` is the end of the scale.
pub(super) fn bar(value: Interval, most: f64) -> Markup {
    let share = |v: f64| (100.0 * v / most).clamp(0.0, 100.0);
    let (lo, hi, mean) = (share(value.lo), share(value.hi), share(value.mean));
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.scale x="0" y="4" width="100" height="2" {}
            rect.span x=(format!("{lo:.1}")) y="3" width=(format!("{:.1}", (hi - lo).max(0.5))) height="4" {}
            rect.mean x=(format!("{:.1}", (mean - 0.75).clamp(0.0, 98.5))) y="0" width="1.5" height="10" {}
        }
    }
}

/// A number with one decimal and the ends of its interval.
pub(super) fn interval(value: Interval, by: f64) -> Markup {
    let v = value.scaled(by);
    html! {
        span.number { (format!("{:.1}", v.mean)) }
        " "
        small.soft { (format!("{:.0}–{:.0}", v.lo, v.hi)) }
    }
}

/// A level of trust as a word that explains itself.
pub(super) fn trust(level: Trust) -> Markup {
    html! { span.tag.trust title=(level.meaning()) { (level.word()) } }
}

/// Where a submission stands.
pub(super) fn state(state: State) -> Markup {
    let class = match state {
        State::Published | State::Completed => "good",
        State::Failed => "bad",
        _ => "plain",
    };
    html! { span.tag.(class) { (state.word()) } }
}
