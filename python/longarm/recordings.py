"""Episodes as arrays: the expert's, and those of traces."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from .catalogue import Selector, select
from .engine import Engine, Look, Options, look, threads

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Recording:
    """One episode of T actions."""

    task: str
    seed: int
    observations: dict[str, Any]
    """What was seen before each action, and after the last: T + 1 rows, nested as in ``Env``."""
    actions: np.ndarray
    """(T, A), float32."""
    stages: np.ndarray
    """The stage to work on before each action; −1 when there is none."""
    doing: list[str]
    """What the expert was doing; empty texts for a replay."""
    scores: np.ndarray
    """0–100 after each action."""
    rewards: dict[str, np.ndarray]
    """What each action was worth: ``sparse``, ``stages`` and ``dense``, as ``reward`` of ``Env``."""
    record: dict[str, Any]
    """What came of it, as `longarm run --json` prints it."""

    @property
    def success(self) -> bool:
        return self.record["outcome"] == "success"

    def __len__(self) -> int:
        return len(self.actions)


def _recording(engine: Engine, task: str, seed: int, played: tuple) -> Recording:
    arrays, actions, stages, doing, scores, rewards, record = played
    seen = engine.nest(arrays)
    worth = dict(zip(("sparse", "stages", "dense"), rewards.T, strict=True))
    return Recording(task, seed, seen, actions, stages, doing, scores, worth, json.loads(record))


def demonstrations(
    task: Selector,
    count: int,
    *,
    seed: int | None = None,
    split: str | None = None,
    failures: bool = False,
    control: str | None = None,
    options: Options | None = None,
    workers: int | None = None,
    **seen: Unpack[Look],
) -> Iterator[Recording]:
    """The scripted expert's episodes, until ``count`` of them succeeded: on the train seeds of the
    suite, those of another ``split`` ("validation", "test"), or from ``seed`` on.

    Failures are left out unless asked for. The same arguments give the same arrays. What is observed,
    ``control`` and ``options`` are said as to :class:`longarm.Env`; no cameras by default.

    >>> import longarm
    >>> demo = next(longarm.demonstrations("longbench/stack-block", 1))
    >>> demo.success, demo.actions.shape[1], demo.observations["tool_pose"].shape[1]
    (True, 7, 7)
    """
    found = select(task)
    if len(found) != 1:
        raise _native.TaskError(f"{task!r} means {len(found)} tasks; demonstrations are of one")
    engine = Engine(
        found,
        min(threads(workers), max(count, 1)),
        look=look(seen, cameras=False),
        workers=workers,
        control=control,
        options=options,
    )
    first, stride, last = _native.demonstration_seeds(found[0].id, seed, split)
    given, tried = 0, 0
    while given < count:
        batch = min(engine.count, count - given)
        seeds = [first + stride * k for k in range(tried, tried + batch)]
        tried += batch
        if last is not None and seeds[-1] > last:
            raise _native.Error(
                f"there are no {count} seeds up to {last}, the last of {split or 'train'}"
            )
        if tried > 20 * count + 20:
            raise _native.SimulationError(f"the expert succeeds too rarely at {found[0].id}")
        for s, played in zip(seeds, engine.native.play([(0, s, None) for s in seeds]), strict=True):
            episode = _recording(engine, found[0].id, s, played)
            if episode.success or failures:
                given += 1
                yield episode


def replay(
    trace: str | os.PathLike,
    *,
    control: str | None = None,
    options: Options | None = None,
    **seen: Unpack[Look],
) -> Recording:
    """Plays an action trace again, bit for bit, with whatever cameras one likes.

    ``options`` must be those it was recorded with; its ``control`` a trace knows itself, where it is not what
    the robot does by default. It is a ``.trace`` file of a run directory, or a ``.json`` one of ``longarm run --trace``. No cameras by default.
    """
    path = Path(trace)
    if path.suffix == ".json":
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            task, seed = stored["task"], int(stored["seed"])
            actions = np.array(stored["actions"], np.float32)
            mode = stored.get("control")
        except (OSError, ValueError, TypeError, KeyError) as e:
            raise _native.TraceError(f"{path} is not an action trace: {e}") from e
    else:
        task, seed, actions, mode = _native.read_trace(path)
    if actions.ndim != 2:
        raise _native.TraceError(f"{path} has actions of shape {actions.shape}")
    if control is not None and mode is not None and control != mode:
        raise _native.TraceError(f"{path} is a trace of control={mode!r}, not {control!r}")
    engine = Engine(
        select(task),
        1,
        look=look(seen, cameras=False),
        workers=1,
        control=control or mode,
        options=options,
    )
    return _recording(engine, task, seed, engine.native.play([(0, seed, actions)])[0])
