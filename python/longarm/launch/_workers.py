"""Workers of a leaderboard: ``longarm work`` as jobs, wherever they run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import _native


@dataclass(frozen=True)
class Worker:
    """A worker to start: everything a job needs but the token, which never travels."""

    command: tuple[str, ...]


Submit = Callable[[Sequence[Worker]], Sequence[Callable[[], None]]]
"""Starts workers and returns for each what waits for it."""


def run_worker(worker: Worker) -> None:
    """Runs one worker to its end; what it says goes to the job's log."""
    try:
        done = subprocess.run(worker.command, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as e:
        raise RuntimeError(
            f"{worker.command[0]}: {e.strerror}; name the program by program="
        ) from e
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise RuntimeError(f"longarm work ended with status {done.returncode} and said: {said}")


def work(
    submit: Submit,
    server: str,
    *,
    jobs: int = 4,
    threads: int = 2,
    token_file: str | os.PathLike | None = None,
    ca: str | os.PathLike | None = None,
    program: str = "longarm",
    until_idle: bool = True,
    retries: int = 2,
) -> None:
    """Replays what waits at a leaderboard in ``jobs`` jobs that ``submit`` starts, and waits for them.

    ``program`` is the command-line program on the machines of the jobs (``cargo install``, not Python's, which has no
    leaderboard in it). ``token_file`` holds a judge's token and is read there; without it they take the variable
    ``LONGARM_TOKEN``. ``ca`` is a file of certificates to trust. A job that dies is started again, up to ``retries``
    times; what it had taken goes to another meanwhile. With ``until_idle=False`` workers wait for more until somebody
    ends them.
    """
    if not server.startswith(("http://", "https://")):
        raise _native.RunError(f"{server!r} is not the address of a leaderboard: https://HOST:PORT")
    if jobs < 1 or threads < 1:
        raise _native.RunError(
            f"{jobs} jobs of {threads} threads: there must be at least one of each"
        )
    if retries < 0:
        raise _native.RunError(f"{retries} retries: there are 0 or more")
    command = [program, "work", "--server", server, "--workers", str(threads)]
    for name, value in (("--token-file", token_file), ("--ca", ca)):
        command += [] if value is None else [name, os.fspath(value)]
    command += ["--until-idle"] if until_idle else []
    left, failed = jobs, None
    for _ in range(retries + 1):
        waits = submit([Worker(tuple(command))] * left)
        left = 0
        for wait in waits:
            try:
                wait()
            except Exception as e:
                left, failed = left + 1, e
        if not left:
            return
    tries = f"{retries + 1} tries" if retries else "1 try"
    raise _native.RunError(
        f"{left} of {jobs} workers failed after {tries}; the last: {failed}"
    ) from failed
