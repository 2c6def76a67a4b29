"""An evaluation over a Slurm array, through submitit."""

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
    folder: str = "longarm-jobs",
    cluster: str | None = None,
    parameters: dict[str, Any] | None = None,
    retries: int = 2,
    **options: Any,
) -> Results:
    """:func:`longarm.evaluate` as an array of ``shards`` Slurm jobs; waits for them.

    ``folder`` is where submitit keeps logs and results, on storage that all nodes share;
    ``parameters`` go to its executor (``timeout_min``, ``slurm_partition``, ``cpus_per_task``).
    ``cluster="local"`` runs processes on this machine, ``"debug"`` this process. ``make_policy`` is
    called on the node and returns the policy. ``options`` go to :func:`longarm.evaluate`.

    ``out`` and ``retries`` are those of :func:`longarm.launch.ray.evaluate`: the directory is checked
    before any job is submitted, failed shards run again, and a run that is left incomplete is completed
    by ``longarm.evaluate(..., out=out, resume=True)``.
    """

    def submit(jobs: Sequence[Job]) -> list[Callable[[], Part]]:
        import submitit

        executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
        executor.update_parameters(**{"timeout_min": 720, "name": "longarm"} | (parameters or {}))
        return [job.result for job in executor.map_array(run_shard, list(jobs))]

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
