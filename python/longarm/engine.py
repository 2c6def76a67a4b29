"""Batches of environments as NumPy arrays: what ``Env``, ``VectorEnv`` and ``evaluate`` share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from gymnasium import spaces

from . import _native
from .catalogue import Task

Cameras = bool | Sequence[str]
Options = Mapping[str, "bool | int | str"]
Assets = str | Mapping[str, "str | os.PathLike | Sequence[str | os.PathLike]"]

IDLE, STEP, STEP_BLIND, RESET = 0, 1, 2, 3


@dataclass(frozen=True)
class Field:
    """One array of an observation."""

    key: str
    """Keys from the outermost dictionary inwards, joined by slashes: ``pixels/top``."""
    shape: tuple[int, ...]
    """Of one environment."""
    dtype: str
    meaning: str
    """What it holds, with its unit."""


@dataclass(frozen=True)
class PointCloud:
    """A point cloud to be observed.

    ``points``
        How many, 1 to 65536. Where the cameras see fewer, they repeat; where they see none, all are at
        the origin with segment −1.
    ``low``, ``high``
        Corners of the box (metres, world frame) outside of which points are left out. The task's
        workspace and 5 cm around it when they are not given.
    ``table``
        How many of the points lie on the table and what else belongs to the world (segment 0); the others are
        then on objects and robots. Spread evenly over all that is seen when it is not given.
    """

    points: int = 1024
    low: tuple[float, float, float] | None = None
    high: tuple[float, float, float] | None = None
    table: int | None = None

    def _told(self) -> tuple[int, tuple | None, int | None]:
        if self.table is not None and not 0 <= self.table <= self.points:
            text = f"a point cloud of {self.points} points cannot have {self.table} on the table"
            raise _native.TaskError(text)
        if (self.low is None) != (self.high is None):
            raise _native.TaskError("a point cloud's box takes both corners, low and high")
        if self.low is None or self.high is None:
            return self.points, None, self.table
        if len(self.low) != 3 or len(self.high) != 3:
            raise _native.TaskError("corners of a point cloud's box have three numbers")
        corners = (tuple(map(float, self.low)), tuple(map(float, self.high)))
        return self.points, corners, self.table


class Look(TypedDict, total=False):
    """What observations are to hold, as keywords of everything that makes some; :class:`longarm.Env` says
    what each means."""

    obs: str
    cameras: Cameras
    size: int | tuple[int, int] | None
    privileged: bool
    depth: bool
    segmentation: bool
    normals: bool
    calibration: bool
    point_cloud: int | PointCloud | None


def look(seen: Look, *, cameras: Cameras = True) -> dict[str, Any]:
    """What observations are to hold, as the engine takes it; ``cameras`` if nothing is said of them."""
    for name in seen.keys() - Look.__annotations__.keys():
        raise TypeError(f"there is no argument {name!r}")
    cameras = seen.get("cameras", cameras)
    size = seen.get("size")
    pair = (size, size) if isinstance(size, (int, np.integer)) else size
    if pair is not None:
        # The engine says how large they may be.
        if not (
            isinstance(pair, (tuple, list))
            and len(pair) == 2
            and all(isinstance(n, (int, np.integer)) and n >= 0 for n in pair)
        ):
            raise _native.TaskError(f"size={size!r}: a number of pixels, or (width, height)")
        pair = (int(pair[0]), int(pair[1]))
    point_cloud = seen.get("point_cloud")
    if isinstance(cameras, str):
        raise _native.TaskError(f"cameras are a list of names: [{cameras!r}]")
    if isinstance(point_cloud, bool) or not isinstance(point_cloud, (int, PointCloud, type(None))):
        raise _native.TaskError("point_cloud is a number of points or a longarm.PointCloud")
    if isinstance(point_cloud, int):
        if point_cloud < 1:
            raise _native.TaskError(f"a point cloud of {point_cloud} points: 1 to 65536 go")
        point_cloud = PointCloud(point_cloud)
    return {
        "preset": seen.get("obs", "longarm"),
        "cameras": None if cameras is True else [] if cameras is False else list(cameras),
        "size": pair,
        "privileged": seen.get("privileged", False),
        "depth": seen.get("depth", False),
        "segmentation": seen.get("segmentation", False),
        "normals": seen.get("normals", False),
        "calibration": seen.get("calibration", False),
        "point_cloud": point_cloud and point_cloud._told(),
    }


def execution(**asked: Any) -> str:
    """What lies between decisions and the robot, as the engine takes it: what is not None."""
    for name, value in asked.items():
        if isinstance(value, (int, float)) and value < 0:
            raise _native.RunError(f"{name}={value}: it cannot be negative")
    return json.dumps({k.replace("_", "-"): v for k, v in asked.items() if v is not None})


def choices(options: Options | None) -> list[tuple[str, str]]:
    """A suite's options as they are written after ``-o``."""
    if options is None:
        return []

    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)

    return [(str(name), text(value)) for name, value in options.items()]


def with_assets(options: Options | None, assets: Assets | None) -> Options | None:
    """Options with the folders of other people's files among them."""
    if not assets:
        return options
    if isinstance(assets, str):
        return dict(options or {}, assets=assets)
    folders = []
    for name, given in assets.items():
        several = [given] if isinstance(given, (str, os.PathLike)) else given
        folders += [f"{name}={os.path.abspath(os.fspath(folder))}" for folder in several]
    return dict(options or {}, assets=",".join(folders))


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
        look: dict[str, Any],
        workers: int | None = None,
        execution: str | None = None,
        control: str | None = None,
        options: Options | None = None,
        dense: bool = False,
    ):
        self.tasks = list(tasks)
        self.native = _native.Batch(
            [t.id for t in tasks],
            count,
            look,
            threads(workers),
            execution,
            control,
            choices(options),
            dense,
        )
        self.count = count
        self.fields = self.native.fields()
        self.paths = [path for path, *_ in self.fields]
        self.forms = [(tuple(shape), np.dtype(kind)) for _, shape, kind, *_ in self.fields]
        self.places = {t.id: i for i, t in enumerate(tasks)}
        self._sets: list[list[np.ndarray]] = []
        self.current: list[np.ndarray] = []
        self._what = np.zeros(count, np.uint8)
        self._which = np.zeros(count, np.int64)
        self._no_seeds = np.zeros(count, np.uint64)
        self._no_actions = np.zeros((count, self.native.dim), np.float32)

    def observation_space(self) -> spaces.Dict:
        """The space of one environment."""

        def box(shape: list[int], kind: str, low: float, high: float) -> spaces.Box:
            number = np.dtype(kind).type
            return spaces.Box(number(low), number(high), tuple(shape), number)

        boxes = [box(shape, kind, low, high) for _, shape, kind, low, high, _ in self.fields]
        return _nest(self.paths, boxes, spaces.Dict)

    def described(self) -> list[Field]:
        """The arrays of an observation, in order."""
        return [
            Field("/".join(path), tuple(shape), kind, meaning)
            for path, shape, kind, _, _, meaning in self.fields
        ]

    def action_space(self) -> spaces.Box:
        """The space of one environment's actions."""
        low, high = self.native.action_bounds()
        return spaces.Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)

    def _free(self) -> list[np.ndarray]:
        """A set of arrays that nobody else refers to."""
        for arrays in self._sets:
            if arrays is not self.current and _references(arrays) <= _OURS:
                return arrays
        arrays = [np.zeros((self.count, *shape), kind) for shape, kind in self.forms]
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
        return _nest(self.paths, [a if row is None else a[row] for a in self.current], dict)

    def nest(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """One value per field as a nested dictionary."""
        return _nest(self.paths, arrays, dict)


def _nest(paths: Sequence[list[str]], values: Sequence[Any], make: Any) -> Any:
    out: dict[str, Any] = {}
    for path, value in zip(paths, values, strict=True):
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
