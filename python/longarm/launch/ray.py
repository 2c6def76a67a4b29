"""An evaluation over a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..evaluation import Results
from ._shards import Job, Part, launch, run_shard


def evaluate(
    policy: str | Callable | None = None,
    tasks: str | Iterable[str] = (),
    *,
    make_policy: Callable[[], Any] | None = None,
    shards: int = 4,
    out: str | os.PathLike | None = None,
    num_cpus: float = 2,
    num_gpus: float = 0,
    retries: int = 2,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as ``shards`` Ray tasks; the results are the same, row by row.

    ``make_policy`` is called on the worker and returns the policy, which then need not be pickled.
    Connects to a cluster if none is connected (``ray.init()``). ``options`` go to
    :func:`longarm.evaluate`.

    ``out`` is the run directory, on this machine; that it can be written is checked before any work
    starts. A shard that fails, or whose worker dies, is run again up to ``retries`` times, from the last
    episode of it that was handed back. When one still fails, ``out`` holds what has run,
    :class:`longarm.RunError` says why, and ``longarm.evaluate(..., out=out, resume=True)`` runs the rest.
    """
    options.setdefault("workers", max(1, int(num_cpus)))

    def submit(jobs: Sequence[Job]) -> list[Callable[[], Part]]:
        import ray

        if not ray.is_initialized():
            ray.init()
        # Tries are counted by the launcher, which knows what a failed one has done.
        task = ray.remote(num_cpus=num_cpus, num_gpus=num_gpus, max_retries=0)(run_shard)
        running = [task.remote(job) for job in jobs]
        return [lambda r=r: ray.get(r) for r in running]

    return launch(
        submit,
        policy,
        make_policy,
        tasks,
        shards=shards,
        retries=retries,
        out=out,
        options=options,
    )
