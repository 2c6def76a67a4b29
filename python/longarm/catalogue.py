"""What there is to do."""

from __future__ import annotations

import fnmatch
import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass

from . import _native


@dataclass(frozen=True)
class Task:
    """A task: what is asked, what counts, what the robot has."""

    id: str
    """``suite/name``."""
    suite: str
    instruction: str
    """A template; ``info["instruction"]`` of a reset has it filled in."""
    labels: tuple[str, ...]
    stages: tuple[str, ...]
    horizon: int
    """Control steps (20 per second) after which an episode is truncated."""
    robot: str
    rig: str
    cameras: tuple[tuple[str, int, int], ...]
    """Name, width and height of each."""
    action: str
    """``ee-delta`` or ``pick-place``."""
    action_low: tuple[float, ...]
    action_high: tuple[float, ...]
    hash: str
    """Of the whole specification; results name it."""

    @property
    def gym_id(self) -> str:
        """Its name with Gymnasium.

        >>> import longarm
        >>> longarm.tasks("longbench/stack-block")[0].gym_id
        'longarm/longbench/stack-block-v1'
        """
        return f"longarm/{self.id}-v1"


@functools.cache
def _all() -> dict[str, Task]:
    def task(row: dict) -> Task:
        cameras = tuple((c["name"], c["width"], c["height"]) for c in row.pop("cameras"))
        lists = ("labels", "stages", "action_low", "action_high")
        return Task(cameras=cameras, **{k: tuple(v) if k in lists else v for k, v in row.items()})

    return {row["id"]: task(row) for row in json.loads(_native.tasks())}


def tasks(*selectors: str) -> list[Task]:
    """The tasks that any of the selectors means (a suite, a task, a pattern); all without one.

    >>> import longarm
    >>> [t.id for t in longarm.tasks("longbench/s*-block*")]
    ['longbench/stack-block', 'longbench/swap-blocks']
    """
    return select(selectors) if selectors else list(_all().values())


def select(selectors: str | Iterable[str]) -> list[Task]:
    """Like :func:`tasks`, from one selector or several, each task once, by id."""
    found: dict[str, Task] = {}
    for selector in [selectors] if isinstance(selectors, str) else selectors:
        here = {
            id: task
            for id, task in _all().items()
            if selector in (id, task.suite) or fnmatch.fnmatchcase(id, selector)
        }
        if not here:
            _native.Batch([selector], 1, "longarm", [], None, False, 1)  # raises, with a hint
        found |= here
    return [found[id] for id in sorted(found)]
