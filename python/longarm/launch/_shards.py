"""What every launcher does with shards, wherever they run."""

from __future__ import annotations

import inspect
import os
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _native
from ..catalogue import Selectors, Task, select
from ..engine import look
from ..evaluation import Results, evaluate, merge

Files = dict[str, bytes]


@dataclass(frozen=True)
class Part:
    """The outcome of a shard: its run directory, which is small, and why it stopped early if it did."""

    files: Files
    error: str | None = None


@dataclass(frozen=True)
class Job:
    """A shard to run: everything a worker needs."""

    policy: Any
    make: bool
    """Whether ``policy`` makes the policy, where it acts: a model should not travel."""
    options: dict[str, Any]
    shard: tuple[int, int]
    before: Files
    """What an earlier try left; only the rest is run."""


Submit = Callable[[Sequence[Job]], Sequence[Callable[[], Part]]]
"""Starts jobs and returns for each what waits for it."""


def run_shard(job: Job) -> Part:
    """Runs one shard. Whatever goes wrong, the episodes that are over are returned."""
    with tempfile.TemporaryDirectory(prefix="longarm-shard-") as folder:
        _write(job.before, Path(folder))
        error = None
        try:
            policy = job.policy() if job.make else job.policy
            evaluate(policy, out=folder, shard=job.shard, resume=True, **job.options)
        except Exception:
            error = traceback.format_exc().rstrip()
        files = (f for f in Path(folder).rglob("*") if f.is_file() and f.name != "run.lock")
        return Part({str(f.relative_to(folder)): f.read_bytes() for f in files}, error)


def launch(
    submit: Submit,
    policy: str | Callable | None,
    tasks: Selectors,
    *,
    make_policy: Callable[[], Any] | None = None,
    shards: int = 4,
    out: str | os.PathLike | None = None,
    retries: int = 2,
    **options: Any,
) -> Results:
    """Runs :func:`longarm.evaluate` as ``shards`` jobs that ``submit`` starts, and makes one run of them.

    ``make_policy`` is called where the job runs and returns the policy, which then need not be pickled.
    ``options`` go to :func:`longarm.evaluate`.

    ``out`` is the run directory, on this machine; that it can be written is checked before any work
    starts. A shard that fails, or whose worker dies, is run again up to ``retries`` times, from the last
    episode of it that was handed back. When one still fails, ``out`` holds what has run,
    :class:`longarm.RunError` says why, and ``longarm.evaluate(..., out=out, resume=True)`` runs the rest.
    """
    jobs = _jobs(policy, make_policy, tasks, shards, options)
    if retries < 0:
        raise _native.RunError(f"{retries} retries: there are 0 or more")
    _check_out(out)
    parts: dict[int, Part] = {}
    cause: BaseException | None = None
    left = list(range(shards))
    for _ in range(retries + 1):
        again = [_continued(jobs[i], parts.get(i)) for i in left]
        for i, wait in zip(left, submit(again), strict=True):
            try:
                parts[i] = wait()
            except Exception as e:
                # The worker is gone, and with it what it had done since the last time.
                cause = e
                text = "".join(traceback.format_exception(e)).rstrip()
                parts[i] = Part(parts[i].files if i in parts else {}, text)
        left = [i for i in left if parts[i].error is not None]
        if not left:
            break
    results = _gather([parts[i] for i in range(shards)], out)
    if left:
        raise _failed(left, shards, retries, parts, results, jobs[0].options["label"]) from cause
    assert results is not None, "a shard that did not fail has a run directory"
    return results


def _jobs(
    policy: str | Callable | None,
    make_policy: Callable[[], Any] | None,
    tasks: Selectors,
    shards: int,
    options: dict[str, Any],
) -> list[Job]:
    """The shards; whatever can be wrong about them is found here, before any worker starts."""
    if (policy is None) == (make_policy is None):
        raise TypeError("give either policy or make_policy")
    if shards < 1:
        raise _native.RunError(f"{shards} shards: there must be at least one")
    for name in ("shard", "resume"):
        if name in options:
            raise TypeError(
                f"a launcher takes no {name!r}; longarm.evaluate(..., out=..., resume=True) completes "
                "a run that a launcher left"
            )
    named = policy if isinstance(policy, str) else None
    who = make_policy or policy
    label = options.get("label") or named or getattr(who, "__name__", type(who).__name__)
    # Selectors, which workers read by themselves, and not what they mean: tasks of files are known only
    # where the files were read. Several may be used up by reading them once.
    if not isinstance(tasks, (str, os.PathLike, Mapping, Task)):
        tasks = list(tasks)
    told = options | {"tasks": tasks, "label": label}
    look(inspect.signature(evaluate).bind(who, **told).arguments.get("seen", {}))
    if not select(told["tasks"]):
        raise _native.RunError("no tasks were chosen: there is nothing to run")
    make = make_policy is not None
    return [Job(who, make, told, (i + 1, shards), {}) for i in range(shards)]


def _check_out(out: str | os.PathLike | None) -> None:
    """Refuses a directory that results cannot be written to, before hours have gone into them."""
    if out is None:
        return
    path = Path(out)
    if path.exists():
        raise _native.RunError(f"{path} exists already; choose another out")
    parent = path.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as e:
        raise _native.RunError(f"cannot write to {parent}: {e.strerror}") from e


def _continued(job: Job, part: Part | None) -> Job:
    return job if part is None else Job(job.policy, job.make, job.options, job.shard, part.files)


def _write(files: Files, folder: Path) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _gather(parts: Sequence[Part], out: str | os.PathLike | None) -> Results | None:
    """One run of what all shards have run, in the directory ``out`` if there is to be one."""
    with tempfile.TemporaryDirectory(prefix="longarm-merge-") as folder:
        folders = []
        for i, part in enumerate(parts):
            if {"run.toml", "episodes.jsonl"} <= part.files.keys():
                folders.append(Path(folder) / f"shard-{i}")
                _write(part.files, folders[-1])
        if not folders:
            return None
        results = merge(folders, out or Path(folder) / "all")
        return results if out else Results(results.summary, results.rows)


def _failed(
    left: list[int],
    shards: int,
    retries: int,
    parts: dict[int, Part],
    results: Results | None,
    label: str,
) -> Exception:
    first = parts[left[0]].error
    which = ", ".join(f"{i + 1}/{shards}" for i in left)
    tries = f"{retries + 1} tries" if retries else "1 try"
    if results is not None and results.out is not None:
        rest = (
            f"{results.out} holds {len(results.rows)} episodes; longarm.evaluate with the same "
            f"arguments, label={label!r}, out={str(results.out)!r} and resume=True runs the rest"
        )
    else:
        rest = "nothing was kept; with out= what has run stays and can be completed"
    return _native.RunError(
        f"shard {which} failed after {tries}; {rest}\nshard {left[0] + 1}/{shards}: {first}"
    )
