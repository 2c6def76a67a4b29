"""An evaluation over a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..evaluation import Results
from ._shards import arguments, gather, run_shard


def evaluate(
    policy: str | Callable | None = None,
    tasks: str | Iterable[str] = (),
    *,
    make_policy: Callable[[], Any] | None = None,
    shards: int = 4,
    out: str | None = None,
    num_cpus: float = 2,
    num_gpus: float = 0,
    max_retries: int = 2,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as ``shards`` Ray tasks; the results are the same, row by row.

    ``make_policy`` is called on the worker and returns the policy, which then need not be pickled.
    Connects to a cluster if none is connected (``ray.init()``). ``options`` go to
    :func:`longarm.evaluate`.
    """
    import ray

    who, make, told = arguments(policy, make_policy, tasks, options)
    if not ray.is_initialized():
        ray.init()
    told.setdefault("workers", max(1, int(num_cpus)))
    task = ray.remote(num_cpus=num_cpus, num_gpus=num_gpus, max_retries=max_retries)(run_shard)
    who, told = ray.put(who), ray.put(told)
    parts = [task.remote(who, make, told, (i + 1, shards)) for i in range(shards)]
    return gather(ray.get(parts), out)
