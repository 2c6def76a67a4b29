"""The batches of an evaluation: asks a policy, lets environments act, stores rows."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _native
from .engine import RESET, Engine

Policy = Callable[[dict[str, Any]], Any]


@dataclass
class _Slot:
    """An episode under way."""

    index: int
    task: str
    seed: int
    policy_seed: int = 0
    asks: bool = True
    step: int = 0
    started: float = 0.0
    times: list[float] = field(default_factory=list)


class Runner:
    """Keeps every slot busy until the work list is empty."""

    def __init__(self, policy, engine: Engine, run, work: deque, raise_errors: bool):
        self.policy, self.engine, self.run_dir, self.work = policy, engine, run, work
        self.raise_errors = raise_errors
        self.slots: list[_Slot | None] = [None] * engine.count
        self.dim = engine.native.dim
        self.sees = getattr(policy, "see", None)

    def at(self, i: int) -> _Slot:
        """The episode in a slot that has one."""
        slot = self.slots[i]
        assert slot is not None, f"nothing runs in slot {i}"
        return slot

    def run(self) -> None:
        self.fill(range(self.engine.count))
        while any(self.slots):
            self.see()
            self.act(self.ask())

    def fill(self, empty: Iterable[int]) -> None:
        """Begins the next episodes in these slots."""
        empty = list(empty)
        while empty and self.work:
            what = np.zeros(self.engine.count, np.uint8)
            which, seeds = np.zeros(len(what), np.int64), np.zeros(len(what), np.uint64)
            for i in empty:
                if self.work:
                    index, task, seed = self.work.popleft()
                    self.slots[i] = _Slot(index, task, seed, started=time.perf_counter())
                    what[i], which[i], seeds[i] = RESET, self.engine.places[task], seed
            _, faults = self.engine.advance(what, None, seeds, which)
            empty = []
            for i, _, why in faults:
                # The scene cannot be made: nothing is known of the episode but that.
                slot, self.slots[i] = self.at(i), None
                self.run_dir.broken(slot.index, slot.task, slot.seed, why)
                empty.append(i)
            begun = [i for i in np.flatnonzero(what == RESET).tolist() if self.slots[i]]
            for i in begun:
                self.at(i).policy_seed = self.engine.native.episode(i)[3]
            if begun and callable(reset := getattr(self.policy, "reset", None)):
                try:
                    reset([self.at(i).index for i in begun])
                except ConnectionError as e:
                    raise _unavailable(e) from e
                except Exception as e:
                    for i in begun:
                        self.broke(i, e)
                    empty += begun

    def seen(self, rows: list[int]) -> dict[str, Any]:
        """What the policy is shown of these slots."""
        all_of_them = len(rows) == self.engine.count
        out = self.engine.observation(None if all_of_them else np.array(rows))
        slots = [self.at(i) for i in rows]
        out["instruction"] = self.engine.native.instructions(rows)
        out["task"] = [s.task for s in slots]
        out["episode"] = np.array([s.index for s in slots])
        out["step"] = np.array([s.step for s in slots])
        out["policy_seed"] = np.array([s.policy_seed for s in slots], np.uint64)
        return out

    def call(self, rows: list[int]) -> np.ndarray:
        asked = time.perf_counter()
        answer = self.policy(self.seen(rows))
        if isinstance(answer, dict):
            answer = answer["actions"]
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu()
        answer = np.asarray(answer, np.float32)
        if answer.ndim == 2:
            answer = answer[:, None]
        took = (time.perf_counter() - asked) * 1e3
        for i in rows:
            self.at(i).times.append(took)
        if answer.ndim != 3 or answer.shape[0] != len(rows) or answer.shape[1] == 0:
            shape = np.shape(answer)
            raise ValueError(
                f"the policy returned shape {shape} for {len(rows)} episodes; it takes "
                f"({len(rows)}, {self.dim}) or ({len(rows)}, K, {self.dim})"
            )
        if answer.shape[2] != self.dim:
            raise ValueError(f"actions have {answer.shape[2]} values; this robot takes {self.dim}")
        return answer

    def alone(self, rows: list[int], call: Callable[[list[int]], Any]) -> dict[int, Any]:
        """What a call gives for each of these slots. When it raises it is repeated slot by slot, so
        that one episode's trouble is not another's; those for which it raises again end."""
        try:
            return dict(zip(rows, call(rows), strict=True))
        except ConnectionError as e:
            raise _unavailable(e) from e
        except Exception as first:
            answers = {}
            for i in rows:
                try:
                    answers[i] = call([i])[0] if len(rows) > 1 else _raise(first)
                except ConnectionError as e:
                    raise _unavailable(e) from e
                except Exception as e:
                    self.broke(i, e)
            return answers

    def see(self) -> None:
        """Shows every episode as it is now to a policy that wants that."""
        if callable(sees := self.sees):
            rows = [i for i, s in enumerate(self.slots) if s]
            self.alone(rows, lambda r: [sees(self.seen(r))] * len(r))

    def ask(self) -> dict[int, np.ndarray | None]:
        """What to do in each slot: decisions where they are wanted."""
        rows = [i for i, s in enumerate(self.slots) if s and s.asks]
        answers = self.alone(rows, self.call) if rows else {}
        return {i: answers.get(i) for i, s in enumerate(self.slots) if s}

    def act(self, decisions: dict[int, np.ndarray | None]) -> None:
        # Whoever sees every step is stopped at every step.
        most = 1 if callable(self.sees) else 2**32 - 1
        status, faults = self.engine.act(decisions, most)
        broken = {i: (why, of_policy) for i, of_policy, why in faults}
        for i in decisions:
            self.at(i).step = int(status["step"][i])
            self.at(i).asks = bool(status["asks"][i])
            if i in broken:
                self.end(i, *broken[i])
            elif status["over"][i]:
                self.end(i, None, False)
        self.fill(i for i, s in enumerate(self.slots) if s is None)

    def broke(self, i: int, e: Exception) -> None:
        """Ends an episode because the policy raised, or the run if that is wanted."""
        if self.raise_errors:
            s = self.at(i)
            raise _native.PolicyError(
                f"the policy broke in {s.task} seed {s.seed} at step {s.step}: {_headline(e)}"
            ) from e
        self.end(i, _reason(e), True)

    def end(self, i: int, error: str | None, of_policy: bool) -> None:
        s, self.slots[i] = self.at(i), None
        wall = time.perf_counter() - s.started
        self.engine.native.finish(i, self.run_dir, s.index, error, of_policy, wall, s.times)


def _raise(e: Exception):
    raise e


def _headline(e: Exception) -> str:
    text = str(e)
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


def _reason(e: Exception) -> str:
    """What happened in one line, then the traceback from the policy's own code on."""
    frames = e.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    if frames is None:
        return _headline(e)
    return _headline(e) + "\n" + "".join(traceback.format_tb(frames)).rstrip()


def _unavailable(e: ConnectionError) -> _native.PolicyError:
    return _native.PolicyError(
        f"the policy cannot be asked ({_headline(e)}); the run stopped, resume=True runs the rest"
    )
