//! The page of an episode, as a judge has it on a tablet.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, PreEscaped, html};

use super::pages::{missing, page};
use crate::app::App;
use crate::http::{Answer, Refusal, Who, waiting};

/// The page of an episode.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((id, k)): Path<(String, usize)>,
) -> Answer {
    let console = app.console()?;
    let failed = |why: String| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why).page();
    let body = waiting(|| -> Answer<Markup> {
        let desk = console.desk();
        let run = desk.runs.get(&id).ok_or_else(missing)?;
        let (sheet, place) = run.sheet(k).zip(run.place(k)).ok_or_else(missing)?;
        let scene = sheet.initialization(place.seed).map_err(|e| failed(e.to_string()))?;
        let hello = console.arm.status().hello;
        let cameras: Vec<String> =
            hello.iter().flat_map(|h| h.cameras.iter().map(|c| c.name.clone())).collect();
        let task = sheet.id.to_string();
        let last = (k + 1 < run.episodes.len()).then_some(k + 1);
        Ok(html! {
            script src="/console/script.js" defer {}
            div.console #console data-run=(id) data-episode=(k) data-task=(task) data-seed=(place.seed) {
                header.heading {
                    div {
                        p.where { a href={ "/console/runs/" (id) } { "Run " (id) } " · " (task) }
                        h1 { "Initialization " (place.seed) }
                    }
                    p.clock { span #stage.tag { "…" } " " output #seconds { "0.0" } " s · step " output #step { "0" } }
                }
                p.trouble #trouble role="alert" hidden {}
                div.columns {
                    section.left aria-label="Scene" {
                        p.said { "“" (scene.instruction) "”" }
                        @if !cameras.is_empty() {
                            div.camera {
                                img #live alt="Live camera" width="640" height="480";
                                img #over alt="" hidden;
                            }
                            div.overlay {
                                label { "Camera" select #camera { @for c in &cameras { option { (c) } } } }
                                label { "Compare with" select #kind {
                                    option value="photo" { "first frame here" }
                                    option value="drawn" { "simulated frame" }
                                    option value="" { "nothing" }
                                } }
                                label { "Strength" input #strength type="range" min="0" max="100" value="50"; }
                                span.soft #compared {}
                            }
                        }
                        details.setup #setup open {
                            summary { "Set up the scene" }
                            ol { @for step in &sheet.set_up { li { (step) } } }
                            div.manual { (PreEscaped(&scene.drawing)) }
                        }
                    }
                    section.right aria-label="Judging" {
                        div.judges #judges {}
                        h2 { "Phases" }
                        ol.phases { @for (i, p) in sheet.phases.iter().enumerate() {
                            li { button.phase type="button" data-phase=(i) aria-pressed="false" {
                                span.mark aria-hidden="true" {}
                                span.what { b { (p.title) } small { (p.counts) } }
                                span.seen {}
                            } }
                        } }
                        @if !sheet.forbidden.is_empty() {
                            h2 { "Forbidden" }
                            ul.phases { @for (i, f) in sheet.forbidden.iter().enumerate() {
                                li { button.phase.forbidden type="button" data-event=(i) aria-pressed="false" {
                                    span.mark aria-hidden="true" {}
                                    span.what { b { (f.name) } @if f.happens != f.name { small { (f.happens) } } }
                                    span.seen {}
                                } }
                            } }
                        }
                        div.after #after hidden {
                            h2 { "Close the episode" }
                            p #verdict {}
                            form.video method="post" enctype="multipart/form-data" action={ "/console/runs/" (id) "/" (k) "/video" } {
                                label { "Video (MP4 or WebM)" input type="file" name="video" accept="video/mp4,video/webm" required; }
                                button.quiet type="submit" { "Attach" }
                                span.soft #video {}
                            }
                            label { "Note" input #note type="text" maxlength="500"; }
                            div.row {
                                button #close type="button" { "Close: write the row" }
                                button.quiet #void type="button" { "Close: does not count …" }
                            }
                        }
                        p #closed hidden {
                            "The row is written. "
                            @if let Some(next) = last { a href={ "/console/runs/" (id) "/" (next) } { "Next initialization" } " · " }
                            a href={ "/console/runs/" (id) "/report" } { "Report" }
                        }
                        details { summary { "What happened" } ol.log #log {} }
                    }
                }
                dialog #ask { form method="dialog" {
                    label { span #question {} input #answer type="text" maxlength="500" required; }
                    div.row { button value="yes" { "Yes" } button.quiet value="no" formnovalidate { "Back" } }
                } }
                footer.drive {
                    button.quiet #control type="button" hidden { "Take control" }
                    button #begin type="button" hidden { "Scene is set up" }
                    button #go type="button" hidden { "Start the policy" }
                    button.quiet #join type="button" hidden { "Judge, too" }
                    button.quiet #reset type="button" hidden { "Reset …" }
                    button.quiet #end type="button" hidden { "End" }
                    form #stopping method="post" action={ "/console/runs/" (id) "/" (k) "/stop" } {
                        button.stop #stop type="submit" { "STOP" small #stopped {} }
                    }
                }
            }
        })
    })?;
    Ok(page(&format!("{id}, episode {k}"), &who, &body))
}

/// Halt the arm: the way of a page whose socket is gone.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
    Path((id, k)): Path<(String, usize)>,
) -> Answer {
    let console = app.console()?;
    console.arm.stop(&who.known()?.account.name, "stop was pressed");
    Ok(Redirect::to(&format!("/console/runs/{id}/{k}")).into_response())
}
