import sys
import types

import pytest

TASK = "longbench/stack-block"


@pytest.fixture
def task():
    return TASK


def fake_ray(lose=()):
    """As much of Ray as is used; workers of the calls named by number die."""
    calls = iter(range(10**6))
    lost = set(lose)

    class Task:
        def __init__(self, function):
            self.function = function

        def remote(self, *args):
            number = next(calls)

            def result():
                if number in lost:
                    raise RuntimeError(f"worker {number} died")
                return self.function(*args)

            return result

    module = types.ModuleType("ray")
    module.started = 0

    def init():
        module.started += 1

    module.is_initialized = lambda: module.started > 0
    module.init = init
    module.remote = lambda **_: Task
    module.get = lambda r: r()
    return module


def fake_submitit(lose=()):
    calls = iter(range(10**6))
    lost = set(lose)

    class Job:
        def __init__(self, function, args):
            self.function, self.args, self.number = function, args, next(calls)

        def result(self):
            if self.number in lost:
                raise TimeoutError(f"job {self.number} ran out of time")
            return self.function(*self.args)

    class AutoExecutor:
        def __init__(self, folder, cluster):
            self.parameters = {}

        def update_parameters(self, **parameters):
            self.parameters |= parameters

        def map_array(self, function, *lists):
            return [Job(function, args) for args in zip(*lists, strict=True)]

    module = types.ModuleType("submitit")
    module.AutoExecutor = AutoExecutor
    return module


@pytest.fixture
def executor(monkeypatch):
    """Puts a stand-in for Ray or submitit where the package would be, and returns it."""

    def put(name, lose=()):
        module = {"ray": fake_ray, "submitit": fake_submitit}[name](lose)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put
