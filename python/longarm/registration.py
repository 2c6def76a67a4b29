"""Registration with Gymnasium, when somebody imports it."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec

from .catalogue import tasks

NAME = "gymnasium"


def register() -> None:
    """Registers every task with Gymnasium as ``longarm/SUITE/NAME-v1``; importing longarm does it."""
    import gymnasium
    from gymnasium.envs import registration

    if registration.ENV_ID_RE.fullmatch("a/b/c-v1") is None:
        # Gymnasium reads one slash only. This reads more, and all else as before.
        wider = registration.ENV_ID_RE.pattern.replace(r"[\w:-]+", r"[\w:/-]+", 1)
        registration.ENV_ID_RE = re.compile(wider)
    for task in tasks():
        if task.gym_id not in gymnasium.registry:
            gymnasium.register(
                task.gym_id,
                entry_point="longarm.envs:Env",
                vector_entry_point="longarm.vector:VectorEnv",
                # We say ourselves that reset comes first, and truncate ourselves: a pick-and-place
                # action is many control steps.
                order_enforce=False,
                kwargs={"task": task.id},
            )


class _Waiting(MetaPathFinder):
    """Registers the tasks as soon as Gymnasium has been imported."""

    def find_spec(self, fullname, path, target=None) -> ModuleSpec | None:
        if fullname != NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(NAME)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module) -> None:
            execute(module)
            register()

        # Before the module's own loader has run there is no other moment.
        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def register_when_imported() -> None:
    """Register every task now if Gymnasium is imported already, otherwise as soon as it is."""
    if NAME in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Waiting())
