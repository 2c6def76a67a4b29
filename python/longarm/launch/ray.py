"""An evaluation, or workers of a leaderboard, over a Ray cluster."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..catalogue import Selectors
from ..evaluation import Results
from ._shards import Job, Part, launch, run_shard
from ._workers import Worker, run_worker
from ._workers import work as start_workers


def evaluate(
    policy: str | Callable | None = None,
    tasks: Selectors = (),
    *,
    num_cpus: float = 2,
    num_gpus: float = 0,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as Ray tasks; the results are the same, row by row.

    Connects to a cluster if none is connected (``ray.init()``); each task takes ``num_cpus`` and
    ``num_gpus``. ``options`` are ``shards``, ``make_policy``, ``out`` and ``retries`` of
    :func:`longarm.launch.launch`, and those of :func:`longarm.evaluate`.
    """
    options.setdefault("workers", max(1, int(num_cpus)))

    def submit(jobs: Sequence[Job]) -> list[Callable[[], Part]]:
        return _start(run_shard, jobs, num_cpus=num_cpus, num_gpus=num_gpus)

    return launch(submit, policy, tasks, **options)


def work(server: str, *, num_cpus: float = 2, **options: Any) -> None:
    """``longarm work`` for a leaderboard as Ray tasks that take ``num_cpus`` each; waits for them.

    ``options`` are those of :func:`longarm.launch.work`.
    """
    options.setdefault("threads", max(1, int(num_cpus)))

    def submit(workers: Sequence[Worker]) -> list[Callable[[], None]]:
        return _start(run_worker, workers, num_cpus=num_cpus)

    start_workers(submit, server, **options)


def _start(function: Callable, jobs: Sequence, **resources: float) -> list[Callable[[], Any]]:
    import ray

    if not ray.is_initialized():
        ray.init()
    # Tries are counted by the launcher, which knows what a failed one has done.
    task = ray.remote(max_retries=0, **resources)(function)
    running = [task.remote(job) for job in jobs]
    return [functools.partial(ray.get, r) for r in running]
