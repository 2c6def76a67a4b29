"""longarm: one engine for long-horizon robot manipulation.

>>> import gymnasium, longarm
>>> env = gymnasium.make("longarm/longbench/stack-block-v1", cameras=False)
>>> observation, info = env.reset(seed=0)
>>> observation["tool_pose"].shape
(7,)
>>> env.close()

Importing longarm registers every task with Gymnasium as ``longarm/SUITE/NAME-v1``.
Everything it raises is a :class:`longarm.Error`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._native import (
    CONTROL_HZ,
    MUJOCO_VERSION,
    ActionError,
    Error,
    PolicyError,
    RunError,
    SimulationError,
    TaskError,
    TraceError,
)
from ._native import (
    ENGINE_VERSION as __version__,
)
from .registration import register, register_when_imported

if TYPE_CHECKING:
    from . import launch
    from .catalogue import Task, select, tasks
    from .engine import Field, PointCloud
    from .envs import Env, make
    from .evaluation import Results, evaluate, merge, read_results
    from .recordings import Recording, demonstrations, replay
    from .serving import PlannerServer, PolicyServer, serve_planner, serve_policy
    from .vector import VectorEnv

# Imported when first used: NumPy and Gymnasium take longer than all of longarm, and the command line
# needs neither.
_WHERE = {
    "Env": "envs",
    "Field": "engine",
    "PointCloud": "engine",
    "PlannerServer": "serving",
    "PolicyServer": "serving",
    "Recording": "recordings",
    "Results": "evaluation",
    "Task": "catalogue",
    "VectorEnv": "vector",
    "demonstrations": "recordings",
    "evaluate": "evaluation",
    "launch": "launch",
    "make": "envs",
    "merge": "evaluation",
    "read_results": "evaluation",
    "replay": "recordings",
    "select": "catalogue",
    "serve_planner": "serving",
    "serve_policy": "serving",
    "tasks": "catalogue",
}

__all__ = [
    "CONTROL_HZ",
    "MUJOCO_VERSION",
    "ActionError",
    "Env",
    "Error",
    "Field",
    "PlannerServer",
    "PointCloud",
    "PolicyError",
    "PolicyServer",
    "Recording",
    "Results",
    "RunError",
    "SimulationError",
    "Task",
    "TaskError",
    "TraceError",
    "VectorEnv",
    "__version__",
    "demonstrations",
    "evaluate",
    "launch",
    "make",
    "merge",
    "read_results",
    "register",
    "replay",
    "select",
    "serve_planner",
    "serve_policy",
    "tasks",
]

register_when_imported()


def __getattr__(name: str):
    try:
        module = import_module(f".{_WHERE[name]}", __name__)
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = module if name == _WHERE[name] else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
