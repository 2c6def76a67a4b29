// The page of an episode. State comes over a socket; orders go over it, and a stop by a form, too, when it is gone.
"use strict";
const root = document.getElementById("console");
const at = (id) => document.getElementById(id);
const base = `/console/runs/${root.dataset.run}/${root.dataset.episode}`;
let socket = null, state = null, lastHeard = 0, pressed = 0, watchdog = 1500;
const SILENCE = 2000; // The console is heard twice a second.

function order(what) {
  if (socket && socket.readyState === WebSocket.OPEN) { socket.send(JSON.stringify(what)); return true; }
  trouble("Not connected: this was not sent.");
  return false;
}

function connect() {
  const ws = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${base}/socket`);
  socket = ws;
  lastHeard = performance.now();
  ws.onopen = () => { trouble(""); };
  ws.onmessage = (m) => {
    if (socket !== ws) return;
    lastHeard = performance.now();
    const said = JSON.parse(m.data);
    if (said.refused) trouble(said.refused); else if (said.episode) { state = said; show(); }
  };
  ws.onclose = () => { if (socket === ws) gone(); };
}

// A network that breaks closes nothing: what is silent is gone.
function gone() {
  const ws = socket;
  socket = null;
  if (ws) ws.close();
  lost();
  setTimeout(connect, 500);
}

function lost() {
  root.classList.add("lost");
  trouble("The connection is lost. The arm halts by itself within " + ((1000 + watchdog) / 1000).toFixed(1) + " s; trying again …");
}

function trouble(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = !text;
}

function text(id, value) { if (at(id) && at(id).textContent !== value) at(id).textContent = value; }
function seenAt(t) { return t ? `${t.seconds.toFixed(1)} s` : ""; }

const WORDS = { "set-up": "to be set up", ready: "ready", running: "running", halted: "halted", judging: "to be closed", closed: "closed" };

function show() {
  const s = state, e = s.episode, v = s.verdict, stage = e.stage;
  root.classList.remove("lost");
  root.dataset.stage = stage;
  if (s.arm.watchdog) watchdog = s.arm.watchdog;
  text("stage", WORDS[stage]);
  text("step", String(s.step));
  text("seconds", s.seconds.toFixed(1));
  const wrong = s.arm.trouble ? `The bridge is not connected: ${s.arm.trouble}` : s.message;
  if (wrong) trouble(wrong);
  const mine = s.mine !== null && s.mine !== undefined;
  const control = s.control.mine, closed = stage === "closed";
  const shows = {
    control: !control && !closed, begin: control && stage === "set-up", go: control && s.here && s.policy && (stage === "ready" || stage === "halted"),
    join: !mine && e.judges.length === 1 && !closed, reset: control && s.here && !closed && stage !== "set-up",
    end: control && (stage === "ready" || stage === "running" || stage === "halted"), after: stage === "judging" && mine, closed: closed,
  };
  for (const id in shows) at(id).hidden = !shows[id];
  at("go").textContent = stage === "halted" ? "Go on" : "Start the policy";
  at("begin").disabled = !!s.elsewhere || !!s.arm.trouble;
  at("control").textContent = s.control.name && s.control.there ? `${s.control.name} is in control: take over` : "Take control";
  at("close").disabled = at("void").disabled = !control;
  if (s.elsewhere && stage === "set-up") trouble("Another episode is at the arm; close or reset that one first.");
  at("judges").replaceChildren(...judges(s));
  for (const b of document.querySelectorAll("[data-phase]")) {
    const i = Number(b.dataset.phase);
    tick(b, e.judges.map((j) => j.phases[i]), v.counted[i], v.apart[i], s.mine, !mine || closed || (stage !== "judging" && !v.open[i]));
  }
  for (const b of document.querySelectorAll("[data-event]")) {
    const i = Number(b.dataset.event);
    tick(b, e.judges.map((j) => j.forbidden[i]), v.forbidden[i], false, s.mine, !mine || closed || stage === "set-up");
  }
  const agree = v.agreement === null ? "" : ` Two judges agree on ${Math.round(v.agreement * 100)} %` + (v.apart.includes(true) ? "; a phase counts when both saw it." : ".");
  text("verdict", `Score ${v.score.toFixed(0)}, ${v.success ? "success" : "no success"}${e.ended ? ` (${e.ended})` : ""}.${agree}`);
  text("video", e.video ? `attached: ${e.video}` : "");
  if (document.activeElement !== at("note")) at("note").value = e.note;
  const lines = s.log.map((x) => { const li = document.createElement("li"); li.textContent = line(x); return li; });
  at("log").replaceChildren(...lines);
  const halt = s.log.map((x) => x.event).find((x) => x.what === "halted");
  if (pressed && !s.arm.running) { text("stopped", `halted ${Math.round(performance.now() - pressed)} ms after Stop`); root.dataset.stopMs = String(Math.round(performance.now() - pressed)); pressed = 0; }
  if (stage === "running") text("stopped", "");
  if (halt && halt.ms !== null && halt.ms !== undefined) root.dataset.bridgeMs = halt.ms.toFixed(2);
  setUp(stage);
}

// What the scene is compared with lies over it until it is set up; later only for who asks for it.
let wasStage = null, compared = null;
function setUp(stage) {
  if (stage === wasStage) return;
  const sets = stage === "set-up";
  at("setup").open = sets;
  const kind = at("kind");
  if (kind && sets !== (compared === null)) {
    if (sets) kind.value = compared;
    compared = sets ? null : kind.value;
    if (!sets) kind.value = "";
    compare();
  }
  wasStage = stage;
}

function judges(s) {
  const parts = s.episode.judges.map((j, i) => {
    const p = document.createElement("span");
    p.className = "tag judge" + i;
    p.textContent = `${"AB"[i]} ${j.judge}` + (i === s.mine ? " (you)" : "");
    return p;
  });
  if (!parts.length) { const p = document.createElement("span"); p.className = "soft"; p.textContent = "No judge yet: who sets up the scene is the first."; parts.push(p); }
  if (s.episode.resets.length) { const p = document.createElement("span"); p.className = "soft"; p.textContent = `attempt ${s.episode.resets.length + 1}`; parts.push(p); }
  return parts;
}

function tick(b, ticks, counts, apart, mine, disabled) {
  const own = mine === null || mine === undefined ? null : ticks[mine];
  b.setAttribute("aria-pressed", own ? "true" : "false");
  b.disabled = disabled;
  b.classList.toggle("counts", counts);
  b.classList.toggle("apart", apart);
  const times = ticks.map((t, i) => t ? `${ticks.length > 1 ? "AB"[i] + " " : ""}${seenAt(t)}` : ticks.length > 1 ? "AB"[i] + " –" : "");
  b.querySelector(".seen").textContent = (apart ? "disagree: " : "") + times.filter(Boolean).join("  ");
}

function line(x) {
  const e = x.event, who = x.by ? `${x.by}: ` : "";
  const at_ = e.step === undefined ? "" : ` at step ${e.step}`;
  const names = { begun: "begun", started: "policy acts", halted: `halted (${e.cause}) ${e.reason || ""}`, tick: `phase ${e.phase + 1} ${e.on ? "seen" : "taken back"}`,
    forbid: `forbidden ${e.event + 1} ${e.on ? "seen" : "taken back"}`, joined: "judges, too", reset: `reset: ${e.reason}`, ended: e.reason, note: "note", video: "video attached", closed: "closed" };
  return `${new Date(x.at).toLocaleTimeString()} ${who}${names[e.what]}${at_}`;
}

function ask(question, then) {
  const d = at("ask");
  at("question").textContent = question;
  at("answer").value = "";
  d.onclose = () => { if (d.returnValue === "yes" && at("answer").value.trim()) then(at("answer").value.trim()); };
  d.returnValue = "no";
  d.showModal();
}

for (const b of document.querySelectorAll("[data-phase]")) b.onclick = () => order({ do: "tick", phase: Number(b.dataset.phase), on: b.getAttribute("aria-pressed") !== "true" });
for (const b of document.querySelectorAll("[data-event]")) b.onclick = () => order({ do: "forbid", event: Number(b.dataset.event), on: b.getAttribute("aria-pressed") !== "true" });
for (const id of ["control", "begin", "go", "join", "end"]) at(id).onclick = () => { trouble(""); order({ do: id }); };
at("reset").onclick = () => ask("Break this attempt off and set the scene up again, because", (reason) => order({ do: "reset", reason }));
at("void").onclick = () => ask("This episode does not count, because", (why) => order({ do: "close", void: why }));
at("close").onclick = () => order({ do: "close", void: null });
at("note").onchange = () => order({ do: "note", text: at("note").value });
at("stopping").onsubmit = (event) => {
  event.preventDefault();
  pressed = performance.now();
  const sent = socket && socket.readyState === WebSocket.OPEN;
  if (sent) socket.send(JSON.stringify({ do: "stop" }));
  // The other way, whatever became of the first one.
  fetch(at("stopping").action, { method: "POST", keepalive: true }).catch(() => { if (!sent) lost(); });
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !at("ask").open) at("stopping").requestSubmit();
});
setInterval(() => {
  if (socket && performance.now() - lastHeard > SILENCE) gone();
  else if (socket && socket.readyState === WebSocket.OPEN && state && state.control.mine) socket.send('{"do":"alive"}');
}, 200);

// Pictures: the next when the last has come.
function live() {
  const camera = at("camera");
  if (!camera) return;
  const img = at("live");
  const next = () => setTimeout(live, state && state.arm.running ? 150 : 600);
  img.onload = next;
  img.onerror = () => setTimeout(live, 1500);
  img.src = `/console/live/${encodeURIComponent(camera.value)}?${Date.now()}`;
}
function compare() {
  const kind = at("kind").value, over = at("over");
  over.hidden = true;
  over.onload = over.onerror = null;
  text("compared", "");
  if (!kind) return;
  over.onload = () => { over.hidden = false; };
  over.onerror = () => { text("compared", kind === "photo" ? "none kept yet" : "not simulated"); };
  over.src = `/console/reference/${kind}/${root.dataset.task}/${root.dataset.seed}/${encodeURIComponent(at("camera").value)}?${Date.now()}`;
}
if (at("camera")) {
  at("camera").onchange = () => { live(); compare(); };
  at("kind").onchange = compare;
  at("strength").oninput = () => { at("over").style.opacity = at("strength").value / 100; };
  at("over").style.opacity = 0.5;
  live();
  compare();
}
connect();
