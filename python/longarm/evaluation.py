"""Scores: many episodes, one policy, batched."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from .catalogue import Selectors, Task, select
from .engine import (
    Assets,
    Engine,
    Look,
    Options,
    choices,
    execution,
    look,
    threads,
    with_assets,
)
from .runner import Policy, Runner

if TYPE_CHECKING:
    from typing_extensions import Unpack


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


def evaluate(
    policy: str | Policy,
    tasks: Selectors,
    *,
    episodes: int = 50,
    seed: int | None = None,
    split: str | None = None,
    batch: int = 16,
    execute: int | None = None,
    max_steps: int | None = None,
    latency: int | None = None,
    action_noise: float | None = None,
    pixel_noise: float | None = None,
    action_repeat: int | None = None,
    run_on: int | None = None,
    stepwise: bool | None = None,
    hints: str | None = None,
    control: str | None = None,
    options: Options | None = None,
    assets: Assets | None = None,
    out: str | os.PathLike | None = None,
    resume: bool = False,
    shard: tuple[int, int] = (1, 1),
    label: str | None = None,
    workers: int | None = None,
    reconnect: float | None = None,
    trained_on: Sequence[str | os.PathLike] = (),
    raise_errors: bool = False,
    **seen: Unpack[Look],
) -> Results:
    """Runs a policy on ``episodes`` seeds of each task: the first test seeds of its suite, those of
    another ``split`` ("train", "validation"), or from ``seed`` on.

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
    that do are told so by default, and ``instruction`` is then that of the present stage.
    ``hints="subtask"`` makes ``instruction`` the true subtask of the moment, saying which of several alike
    objects is meant as the first camera shows them. ``control`` is
    what actions command (``tool-delta``, ``joint-target``, ``joint-delta``), and ``options`` those of the
    tasks' suites, as ``-o name=value``; ``assets`` are folders of other people's files that tasks are played
    in. What is observed (``obs``, ``cameras``, ``size`` and the like) is
    said as to :class:`longarm.Env`.

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

    ``trained_on`` names data sets of `longarm demos` that the policy learned from: episodes that they
    contain are counted apart in ``results["training"]``, and the report says so.

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
    options = with_assets(options, assets)
    named = policy if isinstance(policy, str) else None
    label = label or named or str(getattr(policy, "__name__", type(policy).__name__))
    between = execution(
        execute=execute,
        max_steps=max_steps,
        latency=latency,
        action_noise=action_noise,
        pixel_noise=pixel_noise,
        action_repeat=action_repeat,
        run_on=run_on,
        stepwise=stepwise,
        hints=hints,
    )
    observed = look(seen)
    # Tasks of one rig look and act alike and share batches; privileged views differ by task.
    groups: dict[str, list[Task]] = {}
    for t in chosen if named is None else ():
        groups.setdefault(t.id if observed["privileged"] else t.rig, []).append(t)
    # Made before the run directory: what cannot be observed leaves no directory behind.
    engines = deque(
        Engine(
            group,
            min(batch, max(1, episodes * len(group))),
            look=observed,
            workers=workers,
            execution=between,
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
            between,
            resume,
            control,
            choices(options),
            named,
            reconnect,
            split,
            [os.fspath(d) for d in trained_on],
        )
        stack.callback(run.close)
        try:
            if named is not None:
                run.evaluate(threads(workers))
            while engines:
                engine = engines.popleft()
                work = deque(w for w in run.work() if w[1] in engine.places)
                if work:
                    Runner(policy, engine, run, work, raise_errors).run()
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
