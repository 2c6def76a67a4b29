// What a page does better with a script: a submission's progress, without loading the page again.
const live = document.querySelector("[data-live]");

async function look() {
  try {
    const answer = await fetch(live.dataset.live);
    const s = answer.ok ? await answer.json() : null;
    if (s && s.status !== live.dataset.state) {
      location.reload();
      return;
    }
    if (s) {
      const arriving = s.status === "uploading";
      const [done, of] = arriving ? [s.received, s.size] : [s.played, s.episodes];
      live.querySelector("span").textContent = `${done} of ${of}`;
      const bar = live.querySelector("progress");
      bar.max = Math.max(of, 1);
      bar.value = done;
    }
  } catch {
    // A server that is started again takes a moment.
  }
  setTimeout(look, 1000);
}

if (live) look();
