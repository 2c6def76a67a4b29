from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENGINE_VERSION: str
MUJOCO_VERSION: str
CONTROL_HZ: int

class Error(Exception): ...
class TaskError(Error): ...
class ActionError(Error): ...
class SimulationError(Error): ...
class PolicyError(Error): ...
class RunError(Error): ...
class TraceError(Error): ...

class Batch:
    def __new__(
        cls,
        tasks: Sequence[str],
        count: int,
        preset: str,
        cameras: Sequence[str] | None,
        size: tuple[int, int] | None,
        privileged: bool,
        threads: int,
    ) -> Batch: ...
    @property
    def dim(self) -> int: ...
    def fields(self) -> list[tuple[list[str], list[int], bool]]: ...
    def advance(
        self,
        what: NDArray[np.uint8],
        tasks: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        actions: NDArray[np.float32],
        out: Sequence[NDArray[Any]],
    ) -> tuple[dict[str, NDArray[Any]], list[tuple[int, bool, str]]]: ...
    def episode(self, slot: int) -> tuple[str, int, str, int, int]: ...
    def record(self, slot: int, policy: str, policy_error: str | None = None) -> str: ...
    def finish(
        self,
        slot: int,
        run_dir: Run,
        index: int,
        error: str | None,
        blame_policy: bool,
        wall_s: float,
        times_ms: Sequence[float],
    ) -> str: ...
    def render(self, which: Sequence[int]) -> list[NDArray[np.uint8]]: ...
    def play(
        self, episodes: Sequence[tuple[int, int, NDArray[np.float32] | None]]
    ) -> list[
        tuple[
            list[NDArray[Any]],
            NDArray[np.float32],
            NDArray[np.int64],
            list[str],
            NDArray[np.float64],
            str,
        ]
    ]: ...

class Run:
    def __new__(
        cls,
        path: str | PathLike[str],
        tasks: Sequence[str],
        policy: str,
        episodes: int,
        seed: int,
        shard: tuple[int, int],
        options_json: str,
        resume: bool,
    ) -> Run: ...
    def work(self) -> list[tuple[int, str, int]]: ...
    def broken(self, index: int, id: str, seed: int, why: str) -> None: ...
    def evaluate(self, policy: str, workers: int, reconnect: float | None = None) -> None: ...
    def results(self) -> str: ...

def command(program: Sequence[str], args: Sequence[str]) -> int: ...
def tasks() -> str: ...
def read_trace(path: str | PathLike[str]) -> tuple[str, int, NDArray[np.float32]]: ...
def merge(dirs: Sequence[str | PathLike[str]], out: str | PathLike[str]) -> str: ...
def read_results(dir: str | PathLike[str]) -> str: ...
