"""What there is to do."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union

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


Selector = Union[str, "os.PathLike[str]", Mapping, Task]
"""A suite, a task, a pattern, a task file, a folder of them, or a task as a dict."""

Selectors = Selector | Iterable[Selector]
"""One of them or several."""


def _task(row: dict) -> Task:
    cameras = tuple((c["name"], c["width"], c["height"]) for c in row.pop("cameras"))
    rest: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Task(cameras=cameras, **rest)


@functools.cache
def _all() -> dict[str, Task]:
    return {row["id"]: _task(row) for row in json.loads(_native.tasks())}


def tasks(*selectors: Selector) -> list[Task]:
    """The tasks that any of the selectors means; all of the suites without one.

    A selector is a suite, a task, a pattern, a task file (``.toml``, ``.json``, ``.bddl``), a folder of
    such files, or a task as a ``dict``.

    >>> import longarm
    >>> [t.id for t in longarm.tasks("longbench/s*-block*")]
    ['longbench/stack-block', 'longbench/swap-blocks']
    """
    return select(selectors) if selectors else list(_all().values())


def _meant(selector: Selector) -> list[Task]:
    if isinstance(selector, Task):
        return [selector]
    if isinstance(selector, Mapping):
        rows = _native.load_text(json.dumps(selector))
    else:
        name = os.fspath(selector)
        if name in _all():
            return [_all()[name]]
        rows = _native.load(name)
    return [_task(row) for row in json.loads(rows)]


def select(selectors: Selectors) -> list[Task]:
    """Like :func:`tasks`, from one selector or several, each task once, by id."""
    if isinstance(selectors, (str, os.PathLike, Mapping, Task)):
        selectors = [selectors]
    found: dict[str, Task] = {}
    for selector in selectors:
        found |= {task.id: task for task in _meant(selector)}
    return [found[id] for id in sorted(found)]
