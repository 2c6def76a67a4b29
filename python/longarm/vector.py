"""Many Gymnasium environments that step together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _native
from .catalogue import Selector
from .engine import (
    IDLE,
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
from .envs import METADATA, as_actions, check_names, one_task

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
        reward: str = "sparse",
        limit: int | None = None,
        control: str | None = None,
        hints: str | None = None,
        options: Options | None = None,
        assets: Assets | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        workers: int | None = None,
        **seen: Unpack[Look],
    ):
        check_names(render_mode, reward)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = METADATA | {"autoreset_mode": self.autoreset_mode}
        self._task = one_task(task)
        self._engine: Engine | None = Engine(
            [self._task],
            num_envs,
            look=look(seen),
            workers=workers,
            execution=execution(hints=hints),
            control=control,
            options=with_assets(options, assets),
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
        for i in np.flatnonzero(mask).tolist():
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
        actions = as_actions(actions, self._shape)
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
