"""An evaluation over a Slurm array, through submitit."""

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
    folder: str = "longarm-jobs",
    cluster: str | None = None,
    parameters: dict[str, Any] | None = None,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as an array of ``shards`` Slurm jobs; waits for them.

    ``folder`` is where submitit keeps logs and results, on storage that all nodes share;
    ``parameters`` go to its executor (``timeout_min``, ``slurm_partition``, ``cpus_per_task``).
    ``cluster="local"`` runs processes on this machine, ``"debug"`` this process. ``make_policy`` is
    called on the node and returns the policy. ``options`` go to :func:`longarm.evaluate`.
    """
    import submitit

    who, make, told = arguments(policy, make_policy, tasks, options)
    executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
    executor.update_parameters(**{"timeout_min": 720, "name": "longarm"} | (parameters or {}))
    places = [(i + 1, shards) for i in range(shards)]
    jobs = executor.map_array(run_shard, [who] * shards, [make] * shards, [told] * shards, places)
    return gather([job.result() for job in jobs], out)
