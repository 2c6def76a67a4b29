"""Gymnasium environments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from . import _native
from .catalogue import Selector, select
from .engine import (
    RESET,
    STEP,
    Assets,
    Engine,
    Field,
    Look,
    Options,
    execution,
    look,
    raise_first,
    with_assets,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

METADATA = {"render_modes": ["rgb_array"], "render_fps": _native.CONTROL_HZ}
REWARDS = ("sparse", "stages", "dense")


def one_task(task: Selector):
    found = select(task)
    if len(found) != 1:
        raise _native.TaskError(f"{task!r} means {len(found)} tasks; an environment has one")
    return found[0]


def check_names(render_mode: str | None, reward: str) -> None:
    if render_mode not in (None, "rgb_array"):
        raise _native.TaskError(f"no render mode {render_mode!r}; there is rgb_array")
    if reward not in REWARDS:
        raise _native.TaskError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")


def as_actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
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
    ``depth``, ``segmentation``, ``normals``
        Add ``depth/CAMERA``, metres along the optical axis (0 where nothing is seen),
        ``segmentation/CAMERA``, segment ids, and ``normals/CAMERA``, unit normals in the world frame, for
        each of the cameras. ``segments()`` names the ids.
    ``calibration``
        Adds ``intrinsics/CAMERA``, the 3 x 3 matrix from camera coordinates to pixels, and
        ``extrinsics/CAMERA``, the 4 x 4 matrix from world to camera coordinates (x right, y down, z
        forward, as OpenCV has them).
    ``point_cloud``
        The number of points of ``point_cloud/xyz`` (world frame), ``point_cloud/rgb`` and
        ``point_cloud/segment``, which it adds: what the chosen cameras see, or all when none is chosen.
        :class:`longarm.PointCloud` also names the box they must be in, and how many lie on the table.
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
    ``hints``
        ``"subtask"`` makes ``instruction`` the true subtask of the moment, as in
        :func:`longarm.evaluate`.
    ``options``
        Options of the task's suite by name, as ``-o name=value`` on the command line; `longarm list SUITE
        --options` lists them.
    ``assets``
        Folders of other people's files that the task is played in, by name, as ``--assets`` on the command
        line: ``{"libero": DIR, "robosuite": DIR}``. Several folders of one name are a list; a file is taken
        from the first that has it.

    ``fields`` describes every array of an observation: key, shape, type, meaning.

    An episode terminates with success or when something forbidden happens. ``info`` has ``success``
    and ``is_success``, ``score`` (0–100), ``stage`` (which one to work on, −1 when none) and, after a
    reset, ``seed`` and ``instruction``. Where a task is told step by step, or with ``hints``,
    ``instruction`` is there again whenever it changes. The same seed and actions give the same bits.

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
        reward: str = "sparse",
        limit: int | None = None,
        control: str | None = None,
        hints: str | None = None,
        options: Options | None = None,
        assets: Assets | None = None,
        render_mode: str | None = None,
        **seen: Unpack[Look],
    ):
        check_names(render_mode, reward)
        self.render_mode = render_mode
        self._task = one_task(task)
        self._engine: Engine | None = Engine(
            [self._task],
            1,
            look=look(seen),
            workers=1,
            execution=execution(hints=hints),
            control=control,
            options=with_assets(options, assets),
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
        actions = as_actions(action, (self.engine.native.dim,))[None]
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
