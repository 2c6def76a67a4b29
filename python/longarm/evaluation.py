"""Scores: many episodes, one policy, batched."""

from __future__ import annotations

import json
import os
import tempfile
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from .catalogue import Selector, Task, select
from .engine import RESET, Cameras, Engine, Options, PointCloud, choices, look, threads

Policy = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class Results:
    """What came of a run."""

    summary: dict[str, Any]
    """``results.json``: per task and suite, with 95 % intervals."""
    rows: list[dict[str, Any]]
    """One per episode, in the order of the work list."""
    out: Path | None = None
    """The run directory, if one was kept: `longarm report` and `longarm verify` read it."""

    @property
    def success(self) -> float:
        """Share of successes, averaged over tasks."""
        return self.summary["suite"]["success"]["mean"]

    @property
    def score(self) -> float:
        """0–100, averaged over tasks."""
        return self.summary["suite"]["score"]["mean"]

    def __str__(self) -> str:
        width = max([12, *(len(t["task"]) for t in self.summary["tasks"])])
        lines = [f"{'task':{width}}  {'n':>4}  {'success (95 %)':>23}  {'score':>13}"]
        for t in self.summary["tasks"]:
            s = {k: 100 * v for k, v in t["success"].items() if isinstance(v, float)}
            success = f"{s['mean']:5.1f} % [{s['lo']:5.1f}, {s['hi']:5.1f}]"
            score = f"{t['score']['mean']:.1f} ± {t['score']['std']:.1f}"
            errors = "".join(
                f"  {t[f'{who}_errors']} {who} errors"
                for who in ("policy", "harness")
                if t.get(f"{who}_errors")
            )
            lines.append(f"{t['task']:{width}}  {t['n']:>4}  {success:>23}  {score:>13}{errors}")
        return "\n".join(lines)


@dataclass
class _Slot:
    """An episode under way."""

    index: int
    task: str
    seed: int
    policy_seed: int = 0
    asks: bool = True
    step: int = 0
    started: float = 0.0
    times: list[float] = field(default_factory=list)


def evaluate(
    policy: str | Policy,
    tasks: Selector | Iterable[Selector],
    *,
    episodes: int = 50,
    seed: int = 0,
    batch: int = 16,
    execute: int | None = None,
    max_steps: int | None = None,
    latency: int | None = None,
    action_noise: float | None = None,
    pixel_noise: float | None = None,
    action_repeat: int | None = None,
    run_on: int | None = None,
    stepwise: bool | None = None,
    obs: str = "longarm",
    cameras: Cameras = True,
    size: int | tuple[int, int] | None = None,
    privileged: bool = False,
    depth: bool = False,
    segmentation: bool = False,
    calibration: bool = False,
    point_cloud: int | PointCloud | None = None,
    control: str | None = None,
    options: Options | None = None,
    out: str | os.PathLike | None = None,
    resume: bool = False,
    shard: tuple[int, int] = (1, 1),
    label: str | None = None,
    workers: int | None = None,
    reconnect: float | None = None,
    raise_errors: bool = False,
) -> Results:
    """Runs a policy on ``episodes`` seeds of each task, from ``seed`` on.

    ``policy`` is called with one dictionary for all episodes that want an action now: the arrays of
    :class:`longarm.Env` with one row per episode, and ``instruction`` (list of texts), ``task`` (list of
    ids), ``episode`` (place in the work list), ``step`` and ``policy_seed`` (arrays). It returns one
    action per row, shape (rows, A), or a chunk of them, (rows, K, A), of which the first ``execute``
    are taken before it is asked again. If it has a method ``reset(episodes)`` it is called with the
    numbers of the episodes that begin. It may also be the name of a policy of the command line:
    ``expert``, ``openpi:HOST:PORT``.

    ``latency`` (actions), ``action_noise`` and ``pixel_noise`` (standard deviations), ``action_repeat``
    and ``run_on`` (steps after a success) are those of `longarm eval`, for policies of either kind.
    ``stepwise`` tells the policy one stage at a time, or all at once, whatever the task says; tasks
    that do are told so by default, and ``instruction`` is then that of the present stage. ``control`` is
    what actions command (``tool-delta``, ``joint-target``, ``joint-delta``), and ``options`` those of the
    tasks' suites, as ``-o name=value``. What is observed (``obs`` to ``point_cloud``) is said as to
    :class:`longarm.Env`.

    A policy with a method ``see(observations)`` is shown every step, also those within a chunk.

    An episode depends on its task, seed and actions only: ``batch``, ``workers`` and ``shard`` (i of
    n, from 1) change how fast it goes and nothing else, for a policy whose rows do not depend on each
    other. When a call raises, it is repeated row by row, and the episodes for which it raises again
    end as ``policy_error`` with the reason and traceback; the run goes on. The first is also warned of.
    With ``raise_errors`` the first such episode ends the run instead: :class:`longarm.PolicyError`, with the
    policy's own exception as its ``__cause__``. The episode has no row then and a resumed run plays it
    again. (A server's traceback is in the message, and its episode has its row.)

    A policy that cannot be asked has no score. A server (``openpi:HOST:PORT``) that is lost is tried
    again for ``reconnect`` seconds (120 unless its address says otherwise), and the episodes it was
    lost in begin again. When it stays away, or when a callable raises ``ConnectionError`` because what
    it asks is gone, the run stops with :class:`longarm.PolicyError`; the same call with
    ``resume=True`` runs the rest.

    With ``out`` the run directory is kept and can be resumed, reported on, merged and verified. Tasks,
    options and cameras are checked and a server is connected to before the directory is made.

    >>> import longarm, numpy as np
    >>> def still(seen):
    ...     return np.tile(np.float32([0, 0, 0, 0, 0, 0, -1]), (len(seen["episode"]), 1))
    >>> results = longarm.evaluate(
    ...     still, "longbench/stack-block", episodes=2, cameras=False, max_steps=20)
    >>> [row["outcome"] for row in results.rows]
    ['task_failure', 'task_failure']
    """
    chosen = select(tasks)
    named = policy if isinstance(policy, str) else None
    label = label or named or getattr(policy, "__name__", type(policy).__name__)
    between = {
        "execute": execute,
        "max-steps": max_steps,
        "latency": latency,
        "action-noise": action_noise,
        "pixel-noise": pixel_noise,
        "action-repeat": action_repeat,
        "run-on": run_on,
        "stepwise": stepwise,
    }
    execution = json.dumps({k: v for k, v in between.items() if v is not None})
    seen = look(
        obs=obs,
        cameras=cameras,
        size=size,
        privileged=privileged,
        depth=depth,
        segmentation=segmentation,
        calibration=calibration,
        point_cloud=point_cloud,
    )
    # Tasks of one rig look and act alike and share batches; privileged views differ by task.
    groups: dict[str, list[Task]] = {}
    for t in chosen if named is None else ():
        groups.setdefault(t.id if privileged else t.rig, []).append(t)
    # Made before the run directory: what cannot be observed leaves no directory behind.
    engines = deque(
        Engine(
            group,
            min(batch, max(1, episodes * len(group))),
            look=seen,
            workers=workers,
            execution=execution,
            control=control,
            options=options,
        )
        for group in groups.values()
    )
    with ExitStack() as stack:
        path = Path(out or stack.enter_context(tempfile.TemporaryDirectory(prefix="longarm-")))
        run = _native.Run(
            path,
            [t.id for t in chosen],
            label,
            episodes,
            seed,
            shard,
            execution,
            resume,
            control,
            choices(options),
            named,
            reconnect,
        )
        stack.callback(run.close)
        try:
            if named is not None:
                run.evaluate(threads(workers))
            while engines:
                engine = engines.popleft()
                work = deque(w for w in run.work() if w[1] in engine.places)
                if work:
                    _Runner(policy, engine, run, work, raise_errors).run()
        except _native.PolicyError:
            run.results()  # Of what has run.
            raise
        results = _results(path, json.loads(run.results()), keep=out is not None)
    broken = [r for r in results.rows if r["outcome"] == "policy_error"]
    if broken:
        first = broken[0]
        text = (
            f"{len(broken)} of {len(results.rows)} episodes ended because the policy broke and count "
            f"as failures; the first, {first['task']} seed {first['seed']}: {first['reason']}"
        )
        if raise_errors:
            raise _native.PolicyError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return results


def _results(path: Path, summary: dict[str, Any], keep: bool) -> Results:
    with open(path / "episodes.jsonl", encoding="utf-8") as lines:
        rows = sorted(map(json.loads, lines), key=lambda r: r["index"])
    return Results(summary, rows, path if keep else None)


def read_results(path: str | os.PathLike) -> Results:
    """The results of a run directory, as `longarm eval` or :func:`evaluate` left it."""
    return _results(Path(path), json.loads(_native.read_results(path)), keep=True)


def merge(shards: Iterable[str | os.PathLike], out: str | os.PathLike) -> Results:
    """Makes one run of several shards of it, in a new directory."""
    summary = json.loads(_native.merge([Path(s) for s in shards], out))
    return _results(Path(out), summary, keep=True)


class _Runner:
    """Keeps every slot busy until the work list is empty."""

    def __init__(self, policy, engine: Engine, run, work: deque, raise_errors: bool):
        self.policy, self.engine, self.run_dir, self.work = policy, engine, run, work
        self.raise_errors = raise_errors
        self.slots: list[_Slot | None] = [None] * engine.count
        self.dim = engine.native.dim
        self.sees = getattr(policy, "see", None)

    def run(self) -> None:
        self.fill(range(self.engine.count))
        while any(self.slots):
            self.see()
            self.act(self.ask())

    def fill(self, empty: Iterable[int]) -> None:
        """Begins the next episodes in these slots."""
        empty = list(empty)
        while empty and self.work:
            what = np.zeros(self.engine.count, np.uint8)
            which, seeds = np.zeros(len(what), np.int64), np.zeros(len(what), np.uint64)
            for i in empty:
                if self.work:
                    index, task, seed = self.work.popleft()
                    self.slots[i] = _Slot(index, task, seed, started=time.perf_counter())
                    what[i], which[i], seeds[i] = RESET, self.engine.places[task], seed
            _, faults = self.engine.advance(what, None, seeds, which)
            empty = []
            for i, _, why in faults:
                # The scene cannot be made: nothing is known of the episode but that.
                slot, self.slots[i] = self.slots[i], None
                self.run_dir.broken(slot.index, slot.task, slot.seed, why)
                empty.append(i)
            begun = [i for i in np.flatnonzero(what == RESET) if self.slots[i]]
            for i in begun:
                self.slots[i].policy_seed = self.engine.native.episode(int(i))[3]
            if begun and callable(reset := getattr(self.policy, "reset", None)):
                try:
                    reset([self.slots[i].index for i in begun])
                except ConnectionError as e:
                    raise _unavailable(e) from e
                except Exception as e:
                    for i in begun:
                        self.broke(int(i), e)
                    empty += [int(i) for i in begun]

    def seen(self, rows: list[int]) -> dict[str, Any]:
        """What the policy is shown of these slots."""
        all_of_them = len(rows) == self.engine.count
        out = self.engine.observation(None if all_of_them else np.array(rows))
        slots = [self.slots[i] for i in rows]
        out["instruction"] = self.engine.native.instructions(rows)
        out["task"] = [s.task for s in slots]
        out["episode"] = np.array([s.index for s in slots])
        out["step"] = np.array([s.step for s in slots])
        out["policy_seed"] = np.array([s.policy_seed for s in slots], np.uint64)
        return out

    def call(self, rows: list[int]) -> np.ndarray:
        asked = time.perf_counter()
        answer = self.policy(self.seen(rows))
        if isinstance(answer, dict):
            answer = answer["actions"]
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu()
        answer = np.asarray(answer, np.float32)
        if answer.ndim == 2:
            answer = answer[:, None]
        took = (time.perf_counter() - asked) * 1e3
        for i in rows:
            self.slots[i].times.append(took)
        if answer.ndim != 3 or answer.shape[0] != len(rows) or answer.shape[1] == 0:
            shape = np.shape(answer)
            raise ValueError(
                f"the policy returned shape {shape} for {len(rows)} episodes; it takes "
                f"({len(rows)}, {self.dim}) or ({len(rows)}, K, {self.dim})"
            )
        if answer.shape[2] != self.dim:
            raise ValueError(f"actions have {answer.shape[2]} values; this robot takes {self.dim}")
        return answer

    def alone(self, rows: list[int], call: Callable[[list[int]], Any]) -> dict[int, Any]:
        """What a call gives for each of these slots. When it raises it is repeated slot by slot, so
        that one episode's trouble is not another's; those for which it raises again end."""
        try:
            return dict(zip(rows, call(rows), strict=True))
        except ConnectionError as e:
            raise _unavailable(e) from e
        except Exception as first:
            answers = {}
            for i in rows:
                try:
                    answers[i] = call([i])[0] if len(rows) > 1 else _raise(first)
                except ConnectionError as e:
                    raise _unavailable(e) from e
                except Exception as e:
                    self.broke(i, e)
            return answers

    def see(self) -> None:
        """Shows every episode as it is now to a policy that wants that."""
        if callable(self.sees):
            rows = [i for i, s in enumerate(self.slots) if s]
            self.alone(rows, lambda r: [self.sees(self.seen(r))] * len(r))

    def ask(self) -> dict[int, np.ndarray | None]:
        """What to do in each slot: decisions where they are wanted."""
        rows = [i for i, s in enumerate(self.slots) if s and s.asks]
        answers = self.alone(rows, self.call) if rows else {}
        return {i: answers.get(i) for i, s in enumerate(self.slots) if s}

    def act(self, decisions: dict[int, np.ndarray | None]) -> None:
        # Whoever sees every step is stopped at every step.
        most = 1 if callable(self.sees) else 2**32 - 1
        status, faults = self.engine.act(decisions, most)
        broken = {i: (why, of_policy) for i, of_policy, why in faults}
        for i in decisions:
            self.slots[i].step = int(status["step"][i])
            self.slots[i].asks = bool(status["asks"][i])
            if i in broken:
                self.end(i, *broken[i])
            elif status["over"][i]:
                self.end(i, None, False)
        self.fill(i for i, s in enumerate(self.slots) if s is None)

    def broke(self, i: int, e: Exception) -> None:
        """Ends an episode because the policy raised, or the run if that is wanted."""
        if self.raise_errors:
            s = self.slots[i]
            raise _native.PolicyError(
                f"the policy broke in {s.task} seed {s.seed} at step {s.step}: {_headline(e)}"
            ) from e
        self.end(i, _reason(e), True)

    def end(self, i: int, error: str | None, of_policy: bool) -> None:
        s, self.slots[i] = self.slots[i], None
        wall = time.perf_counter() - s.started
        self.engine.native.finish(i, self.run_dir, s.index, error, of_policy, wall, s.times)


def _raise(e: Exception):
    raise e


def _headline(e: Exception) -> str:
    text = str(e)
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


def _reason(e: Exception) -> str:
    """What happened in one line, then the traceback from the policy's own code on."""
    frames = e.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    if frames is None:
        return _headline(e)
    return _headline(e) + "\n" + "".join(traceback.format_tb(frames)).rstrip()


def _unavailable(e: ConnectionError) -> _native.PolicyError:
    return _native.PolicyError(
        f"the policy cannot be asked ({_headline(e)}); the run stopped, resume=True runs the rest"
    )
