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

from . import launch
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
from .catalogue import Task, select, tasks
from .envs import Env, VectorEnv, register
from .evaluation import Results, evaluate, merge, read_results
from .recordings import Recording, demonstrations, replay
from .serving import PolicyServer, serve_policy

register()

__all__ = [
    "CONTROL_HZ",
    "MUJOCO_VERSION",
    "ActionError",
    "Env",
    "Error",
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
    "merge",
    "read_results",
    "register",
    "replay",
    "select",
    "serve_policy",
    "tasks",
]
