"""Batches of environments as NumPy arrays: what ``Env``, ``VectorEnv`` and ``evaluate`` share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from . import _native
from .catalogue import Task

Cameras = bool | Sequence[str]

IDLE, STEP, STEP_BLIND, RESET = 0, 1, 2, 3


def threads(wanted: int | None) -> int:
    """As many as asked for, or as this process may use."""
    if wanted is not None:
        return max(1, int(wanted))
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _references(arrays: list[np.ndarray]) -> int:
    """References to the most referred-to of them, those of this function included."""
    return max(sys.getrefcount(a) for a in arrays)


# What that is for arrays that nobody else has; it differs between versions of Python.
_OURS = _references([np.zeros(1)])


class Engine:
    """``count`` environments for any of the tasks, and the arrays they are seen in.

    Arrays are written by the engine itself and handed out without a copy. An array is written again
    only when nobody but the engine refers to it any more: keep an observation, or any view of it
    (also a tensor by ``torch.from_numpy`` or DLPack), for as long as you like and it stays as it is;
    let go of it and its memory serves a later step.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        count: int,
        *,
        preset: str = "longarm",
        cameras: Cameras = True,
        size: int | tuple[int, int] | None = None,
        privileged: bool = False,
        workers: int | None = None,
        execution: str | None = None,
        control: str | None = None,
    ):
        names = None if cameras is True else [] if cameras is False else list(cameras)
        if isinstance(size, int):
            size = (size, size)
        self.tasks = list(tasks)
        self.native = _native.Batch(
            [t.id for t in tasks],
            count,
            preset,
            names,
            size,
            privileged,
            threads(workers),
            execution,
            control,
        )
        self.count = count
        self.fields = self.native.fields()
        self.places = {t.id: i for i, t in enumerate(tasks)}
        self._sets: list[list[np.ndarray]] = []
        self.current: list[np.ndarray] = []
        self._what = np.zeros(count, np.uint8)
        self._which = np.zeros(count, np.int64)
        self._no_seeds = np.zeros(count, np.uint64)
        self._no_actions = np.zeros((count, self.native.dim), np.float32)

    def observation_space(self) -> spaces.Dict:
        """The space of one environment."""
        return _nest(
            self.fields,
            [
                spaces.Box(0, 255, tuple(shape), np.uint8)
                if picture
                else spaces.Box(-np.inf, np.inf, tuple(shape), np.float32)
                for _, shape, picture in self.fields
            ],
            spaces.Dict,
        )

    def action_space(self) -> spaces.Box:
        """The space of one environment's actions."""
        low, high = self.native.action_bounds()
        return spaces.Box(np.float32(low), np.float32(high), dtype=np.float32)

    def _free(self) -> list[np.ndarray]:
        """A set of arrays that nobody else refers to."""
        for arrays in self._sets:
            if arrays is not self.current and _references(arrays) <= _OURS:
                return arrays
        arrays = [
            np.zeros((self.count, *shape), np.uint8 if picture else np.float32)
            for _, shape, picture in self.fields
        ]
        self._sets.append(arrays)
        # Whoever keeps everything keeps the memory, not we.
        del self._sets[:-8]
        return arrays

    def _renew(self, unseen: np.ndarray) -> None:
        """Makes arrays nobody else has the current ones; rows that nobody will write stay."""
        arrays = self._free()
        if self.current and unseen.any():
            for new, old in zip(arrays, self.current, strict=True):
                new[unseen] = old[unseen]
        self.current = arrays

    def act(
        self, decisions: dict[int, np.ndarray | None], most: int
    ) -> tuple[dict[str, np.ndarray], list[tuple[int, bool, str]]]:
        """Lets environments act on chunks (K x A; ``None``: on what is left of the last one) until they
        want the next one or are over, at most ``most`` actions; observations go to ``self.current``."""
        unseen = np.ones(self.count, bool)
        unseen[list(decisions)] = False
        self._renew(unseen)
        return self.native.act(list(decisions.items()), most, self.current)

    def advance(
        self,
        what: np.ndarray,
        actions: np.ndarray | None = None,
        seeds: np.ndarray | None = None,
        which: np.ndarray | None = None,
        *,
        fresh: bool = True,
    ) -> tuple[dict[str, np.ndarray], list[tuple[int, bool, str]]]:
        """Lets each environment do what its number says; observations go to ``self.current``."""
        if fresh or not self.current:
            self._renew((what == IDLE) | (what == STEP_BLIND))
        return self.native.advance(
            what,
            self._which if which is None else which,
            self._no_seeds if seeds is None else seeds,
            self._no_actions if actions is None else actions,
            self.current,
        )

    def observation(self, row: int | np.ndarray | None = None) -> dict[str, Any]:
        """The present observation, of all environments or of some."""
        return _nest(self.fields, [a if row is None else a[row] for a in self.current], dict)

    def nest(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """One value per field as a nested dictionary."""
        return _nest(self.fields, arrays, dict)


def _nest(fields: Sequence[tuple], values: Sequence[Any], make: Any) -> Any:
    out: dict[str, Any] = {}
    for (path, _, _), value in zip(fields, values, strict=True):
        inner = out
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value

    def close(level: Any) -> Any:
        return make({k: close(v) if isinstance(v, dict) else v for k, v in level.items()})

    return close(out)


def raise_first(faults: list[tuple[int, bool, str]]) -> None:
    """Raises what went wrong first."""
    for slot, of_policy, why in faults:
        kind = _native.ActionError if of_policy else _native.SimulationError
        raise kind(f"environment {slot}: {why}")
