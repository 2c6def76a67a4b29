"""Gymnasium environments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _native
from .catalogue import Selector, select
from .engine import (
    IDLE,
    RESET,
    STEP,
    Cameras,
    Engine,
    Field,
    Options,
    PointCloud,
    look,
    raise_first,
)

METADATA = {"render_modes": ["rgb_array"], "render_fps": _native.CONTROL_HZ}
REWARDS = ("sparse", "stages", "dense")


def _one(task: Selector):
    found = select(task)
    if len(found) != 1:
        raise _native.TaskError(f"{task!r} means {len(found)} tasks; an environment has one")
    return found[0]


def _check(render_mode: str | None, reward: str) -> None:
    if render_mode not in (None, "rgb_array"):
        raise _native.TaskError(f"no render mode {render_mode!r}; there is rgb_array")
    if reward not in REWARDS:
        raise _native.TaskError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")


def _as_actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
    out = np.ascontiguousarray(actions, np.float32)
    if out.shape != shape:
        raise _native.ActionError(f"actions have shape {out.shape}; they must have {shape}")
    if not np.isfinite(out).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(out))[0])
        raise _native.ActionError(f"action{list(where)} is {out[where]}; it must be finite")
    return out


def make(task: Selector, **options: Any) -> Env:
    """Make the environment of one task: an id, a task file, or a task as a ``dict``.

    ``options`` are the arguments of :class:`longarm.Env`.

    >>> import longarm
    >>> env = longarm.make("longbench/stack-block", cameras=False)
    >>> env.reset(seed=0)[0]["tool_pose"].shape
    (7,)
    >>> env.close()
    """
    return Env(task, **options)


class Env(gymnasium.Env):
    """One task as a Gymnasium environment.

    ``obs``
        Names of observations: ``longarm`` (``joint_position``, ``joint_velocity``, ``tool_pose``,
        ``gripper_opening``, ``pixels/CAMERA``), ``lerobot`` (``agent_pos``, ``pixels/CAMERA``) or
        ``libero`` (LIBERO's own, pictures bottom row first).
    ``cameras``, ``size``
        All (the default), none (``False``) or the named ones; their width and height, the rig's own
        by default. Nothing is drawn that is not asked for.
    ``depth``, ``segmentation``
        Add ``depth/CAMERA``, metres along the line of sight (0 where nothing is seen), and
        ``segmentation/CAMERA``, segment ids, for each of the cameras. ``segments()`` names the ids.
    ``calibration``
        Adds ``intrinsics/CAMERA``, the 3 x 3 matrix from camera coordinates to pixels, and
        ``extrinsics/CAMERA``, the 4 x 4 matrix from world to camera coordinates (x right, y down, z
        forward, as OpenCV has them).
    ``point_cloud``
        The number of points of ``point_cloud/xyz`` (world frame), ``point_cloud/rgb`` and
        ``point_cloud/segment``, which it adds: what the chosen cameras see, or all when none is chosen.
        :class:`longarm.PointCloud` also names the box they must be in.
    ``privileged``
        Adds ``environment_state``: position and quaternion (w, x, y, z) of every object and part.
    ``reward``
        ``sparse``: 1 with success. ``stages``: the share of stages completed by this step, so that
        the return is the score / 100. ``dense``: how far the task is after this step, 0 to 1: the
        completed stages, the way covered in those that are open, and the hand's way to what comes
        next; 1 with success.
    ``limit``
        Control steps after which an episode is truncated, where the horizon is longer.
    ``control``
        What actions command: ``tool-delta``, ``joint-target`` or ``joint-delta``; what the task's
        robot does by default if None.
    ``options``
        Options of the task's suite by name, as ``-o name=value`` on the command line; `longarm list SUITE
        --options` lists them.

    ``fields`` describes every array of an observation: key, shape, type, meaning.

    An episode terminates with success or when something forbidden happens. ``info`` has ``success``
    and ``is_success``, ``score`` (0–100), ``stage`` (which one to work on, −1 when none) and, after a
    reset, ``seed`` and ``instruction``. Where a task is told step by step, ``instruction`` is there
    again whenever it changes. The same seed and actions give the same bits.

    >>> import gymnasium, longarm
    >>> env = gymnasium.make("longarm/longbench/stack-block-v1", cameras=["wrist"], size=64)
    >>> observation, info = env.reset(seed=3)
    >>> observation["pixels"]["wrist"].shape
    (64, 64, 3)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> info["is_success"], terminated
    (False, False)
    >>> env.close()
    """

    metadata = METADATA

    def __init__(
        self,
        task: Selector,
        *,
        obs: str = "longarm",
        cameras: Cameras = True,
        size: int | tuple[int, int] | None = None,
        privileged: bool = False,
        depth: bool = False,
        segmentation: bool = False,
        calibration: bool = False,
        point_cloud: int | PointCloud | None = None,
        reward: str = "sparse",
        limit: int | None = None,
        control: str | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
    ):
        _check(render_mode, reward)
        self.render_mode = render_mode
        self._task = _one(task)
        self._engine: Engine | None = Engine(
            [self._task],
            1,
            look=look(
                obs=obs,
                cameras=cameras,
                size=size,
                privileged=privileged,
                depth=depth,
                segmentation=segmentation,
                calibration=calibration,
                point_cloud=point_cloud,
            ),
            workers=1,
            control=control,
            options=options,
            dense=reward == "dense",
        )
        self.observation_space = self._engine.observation_space()
        self.action_space = self._engine.action_space()
        self._max_episode_steps = limit or self._engine.native.tasks()[0][2]
        self._reward = f"reward_{reward}"
        self._running = False
        self.task = self._task.id
        self.task_description = self._task.instruction

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise _native.Error("the environment is closed")
        return self._engine

    @property
    def fields(self) -> list[Field]:
        """The arrays of an observation."""
        return self.engine.described()

    def segments(self) -> dict[int, str]:
        """What the segment ids of the present scene mean."""
        return dict(self.engine.native.segments(0))

    def _info(self, status: dict[str, np.ndarray]) -> dict[str, Any]:
        success = bool(status["success"][0])
        return {
            "is_success": success,
            "success": success,
            "score": float(status["score"][0]),
            "stage": int(status["stage"][0]),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        # Episodes after a seeded one follow from it; without any seed they are random.
        chosen = seed if seed is not None else int(self.np_random.integers(2**63))
        what, seeds = np.full(1, RESET, np.uint8), np.array([chosen], np.uint64)
        status, faults = self.engine.advance(what, seeds=seeds)
        self._running = not faults
        raise_first(faults)
        self.task_description = self.engine.native.episode(0)[2]
        info = self._info(status) | {"seed": chosen, "instruction": self.task_description}
        return self.engine.observation(0), info

    def step(self, action: Any):
        if not self._running:
            raise _native.Error("the episode is over or has not begun; call reset() first")
        actions = _as_actions(action, self.action_space.shape)[None]
        status, faults = self.engine.advance(np.full(1, STEP, np.uint8), actions)
        raise_first(faults)
        info = self._info(status)
        for _, text in status["told"]:
            self.task_description = info["instruction"] = text
        terminated = bool(status["success"][0] or status["failed"][0])
        truncated = bool(status["truncated"][0]) or (
            not terminated and int(status["step"][0]) >= self._max_episode_steps
        )
        self._running = not (terminated or truncated)
        reward = float(status[self._reward][0])
        return self.engine.observation(0), reward, terminated, truncated, info

    def render(self) -> np.ndarray | None:
        """The view for people, which policies never see: height x width x 3."""
        if self.render_mode is None:
            return None
        return self.engine.native.render([0])[0]

    def record(self, policy: str = "python") -> dict[str, Any]:
        """The episode so far as `longarm run --json` prints it, with hashes of states and actions."""
        return json.loads(self.engine.native.record(0, policy))

    def close(self) -> None:
        self._engine = None


class VectorEnv(gymnasium.vector.VectorEnv):
    """``num_envs`` environments of one task, stepped by native threads with the GIL released.

    Takes the arguments of :class:`Env`, besides ``autoreset_mode`` (Gymnasium's three) and ``workers``
    (threads; the cores of this process by default). Observations are handed out without a copy and
    are yours for as long as you hold them, see :class:`longarm.engine.Engine`.

    >>> import gymnasium, longarm
    >>> envs = gymnasium.make_vec("longarm/longbench/stack-block-v1", num_envs=3, cameras=False)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations["tool_pose"].shape, infos["seed"].tolist()
    ((3, 7), [7, 8, 9])
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    >>> infos["is_success"].tolist()
    [False, False, False]
    >>> envs.close()
    """

    def __init__(
        self,
        task: Selector,
        num_envs: int = 1,
        *,
        obs: str = "longarm",
        cameras: Cameras = True,
        size: int | tuple[int, int] | None = None,
        privileged: bool = False,
        depth: bool = False,
        segmentation: bool = False,
        calibration: bool = False,
        point_cloud: int | PointCloud | None = None,
        reward: str = "sparse",
        limit: int | None = None,
        control: str | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        workers: int | None = None,
    ):
        _check(render_mode, reward)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = METADATA | {"autoreset_mode": self.autoreset_mode}
        self._task = _one(task)
        self._engine: Engine | None = Engine(
            [self._task],
            num_envs,
            look=look(
                obs=obs,
                cameras=cameras,
                size=size,
                privileged=privileged,
                depth=depth,
                segmentation=segmentation,
                calibration=calibration,
                point_cloud=point_cloud,
            ),
            workers=workers,
            control=control,
            options=options,
            dense=reward == "dense",
        )
        self.single_observation_space = self._engine.observation_space()
        self.single_action_space = self._engine.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._shape = (num_envs, *self.single_action_space.shape)
        self._limit = limit or self._engine.native.tasks()[0][2]
        self._reward = f"reward_{reward}"
        self._random = [np.random.default_rng() for _ in range(num_envs)]
        self._begun = np.zeros(num_envs, bool)
        self._done = np.zeros(num_envs, bool)
        self._instructions = [self._task.instruction] * num_envs

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise _native.Error("the environments are closed")
        return self._engine

    @property
    def fields(self) -> list[Field]:
        """The arrays of an observation of one environment."""
        return self.engine.described()

    def segments(self) -> list[dict[int, str]]:
        """What segment ids mean, in each environment's present scene."""
        return [dict(self.engine.native.segments(i)) for i in range(self.num_envs)]

    # What LeRobot and others ask sub-environments for.
    @property
    def task(self) -> str:
        return self._task.id

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What each environment has under this name."""
        if name == "render":
            return self.render() or (None,) * self.num_envs
        own = {"task_description": self._instructions, "instruction": self._instructions}
        shared = {"task": self._task.id, "_max_episode_steps": self._limit}
        if name in own:
            return tuple(own[name])
        if name in shared:
            return (shared[name],) * self.num_envs
        raise AttributeError(f"the environments have no {name!r}")

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Like :meth:`call`."""
        return self.call(name)

    def _draw(self, mask: np.ndarray, given: Sequence[int | None]) -> np.ndarray:
        """Seeds of the episodes that begin."""
        seeds = np.zeros(self.num_envs, np.uint64)
        for i in np.flatnonzero(mask):
            if (seed := given[i]) is not None:
                self._random[i] = np.random.Generator(np.random.PCG64(int(seed)))
                seeds[i] = int(seed)
            else:
                seeds[i] = self._random[i].integers(2**63)
        return seeds

    def _tell(self, status: dict[str, Any]) -> dict[str, Any] | None:
        """Instructions that have changed, as infos."""
        if not status["told"]:
            return None
        texts, mask = np.full(self.num_envs, None, object), np.zeros(self.num_envs, bool)
        for i, text in status["told"]:
            texts[i] = self._instructions[i] = text
            mask[i] = True
        return {"instruction": texts, "_instruction": mask}

    def _begin(
        self,
        mask: np.ndarray,
        seeds: np.ndarray,
        info: dict[str, Any],
        told: dict[str, Any] | None = None,
    ) -> None:
        """What must be known of episodes that have just begun."""
        self._begun |= mask
        self._done &= ~mask
        texts = np.full(self.num_envs, None, object) if told is None else told["instruction"]
        for i in np.flatnonzero(mask):
            texts[i] = self._instructions[i] = self.engine.native.episode(int(i))[2]
        info |= {"seed": seeds.astype(np.int64), "_seed": mask.copy()}
        new = mask.copy() if told is None else mask | told["_instruction"]
        info |= {"instruction": texts, "_instruction": new}

    def _infos(
        self, status: dict[str, np.ndarray], mask: np.ndarray | None = None
    ) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, name in (
            ("is_success", "success"),
            ("success", "success"),
            ("score", "score"),
            ("stage", "stage"),
        ):
            out[key] = status[name].copy()
            out[f"_{key}"] = np.ones(self.num_envs, bool) if mask is None else mask.copy()
            if mask is not None:
                out[key][~mask] = 0
        return out

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ):
        if seed is None or isinstance(seed, (int, np.integer)):
            given = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            given = list(seed)
        if len(given) != self.num_envs:
            raise _native.Error(f"there are {len(given)} seeds for {self.num_envs} environments")
        mask = (options or {}).get("reset_mask")
        if mask is None:
            mask = np.ones(self.num_envs, bool)
        else:
            mask = np.array(mask, bool)
            if mask.shape != (self.num_envs,) or not mask.any():
                raise _native.Error(
                    f"reset_mask must be {self.num_envs} booleans, at least one true"
                )
        seeds = self._draw(mask, given)
        what = np.where(mask, RESET, IDLE).astype(np.uint8)
        status, faults = self.engine.advance(what, seeds=seeds)
        raise_first(faults)
        info = self._infos(status, mask)
        self._begin(mask, seeds, info)
        return self.engine.observation(), info

    def step(self, actions: Any):
        actions = _as_actions(actions, self._shape)
        if not self._begun.all():
            raise _native.Error("reset() comes before step()")
        again = self._done.copy()
        if self.autoreset_mode == AutoresetMode.DISABLED and again.any():
            which = np.flatnonzero(again).tolist()
            raise _native.Error(
                f"the episodes of environments {which} are over; reset them with "
                'options={"reset_mask": ...}'
            )
        seeds = self._draw(again, [None] * self.num_envs)
        what = np.where(again, RESET, STEP).astype(np.uint8)
        status, faults = self.engine.advance(what, actions, seeds)
        raise_first(faults)
        terminated = (status["success"] | status["failed"]) & ~again
        truncated = (status["truncated"] | (status["step"] >= self._limit)) & ~terminated & ~again
        rewards = np.where(again, 0.0, status[self._reward])
        told = self._tell(status)
        self._done = terminated | truncated
        ended = self._done.copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            infos = self._reset_now(ended, status, told)
        else:
            infos = self._infos(status)
            if told is not None:
                infos |= told
            if again.any():
                self._begin(again, seeds, infos, told)
                self._done = ended
        return self.engine.observation(), rewards, terminated, truncated, infos

    def _reset_now(
        self, ended: np.ndarray, status: dict[str, np.ndarray], told: dict[str, Any] | None
    ) -> dict[str, Any]:
        last = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            last[i] = self.engine.nest([a[i].copy() for a in self.engine.current])
        final = self._infos(status, ended)
        seeds = self._draw(ended, [None] * self.num_envs)
        what = np.where(ended, RESET, IDLE).astype(np.uint8)
        # Into the same arrays: nobody has seen them yet.
        status, faults = self.engine.advance(what, seeds=seeds, fresh=False)
        raise_first(faults)
        infos = self._infos(status)
        self._begin(ended.copy(), seeds, infos, told)
        infos |= {"final_obs": last, "_final_obs": ended.copy()}
        infos |= {"final_info": final, "_final_info": ended.copy()}
        return infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """The views for people, one per environment."""
        if self.render_mode is None:
            return None
        return tuple(self.engine.native.render(list(range(self.num_envs))))

    def close_extras(self, **kwargs: Any) -> None:
        self._engine = None
