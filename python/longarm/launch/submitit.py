"""An evaluation, or workers of a leaderboard, over a Slurm array, through submitit."""

from __future__ import annotations

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
    folder: str = "longarm-jobs",
    cluster: str | None = None,
    parameters: dict[str, Any] | None = None,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as an array of Slurm jobs; waits for them.

    ``folder`` is where submitit keeps logs and results, on storage that all nodes share;
    ``parameters`` go to its executor (``timeout_min``, ``slurm_partition``, ``cpus_per_task``).
    ``cluster="local"`` runs processes on this machine, ``"debug"`` this process. ``options`` are
    ``shards``, ``make_policy``, ``out`` and ``retries`` of :func:`longarm.launch.launch`, and those of
    :func:`longarm.evaluate`.
    """

    def submit(jobs: Sequence[Job]) -> list[Callable[[], Part]]:
        return _start(run_shard, jobs, folder, cluster, parameters)

    return launch(submit, policy, tasks, **options)


def work(
    server: str,
    *,
    folder: str = "longarm-jobs",
    cluster: str | None = None,
    parameters: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """``longarm work`` for a leaderboard as an array of Slurm jobs; waits for them.

    ``folder``, ``cluster`` and ``parameters`` as for :func:`evaluate`; ``options`` are those of
    :func:`longarm.launch.work`.
    """

    def submit(workers: Sequence[Worker]) -> list[Callable[[], None]]:
        return _start(run_worker, workers, folder, cluster, parameters)

    start_workers(submit, server, **options)


def _start(
    function: Callable,
    jobs: Sequence,
    folder: str,
    cluster: str | None,
    parameters: dict[str, Any] | None,
) -> list[Callable[[], Any]]:
    import submitit

    executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
    executor.update_parameters(**{"timeout_min": 720, "name": "longarm"} | (parameters or {}))
    return [job.result for job in executor.map_array(function, list(jobs))]
