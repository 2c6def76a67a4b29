"""What every launcher does with a shard, wherever it runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..evaluation import Results, evaluate, merge

Files = dict[str, bytes]


def run_shard(policy: Any, make: bool, options: dict[str, Any], shard: tuple[int, int]) -> Files:
    """Runs one shard and returns its run directory, which is small, as bytes."""
    with tempfile.TemporaryDirectory(prefix="longarm-shard-") as folder:
        # Made where it acts: a model should not travel.
        evaluate(policy() if make else policy, out=folder, shard=shard, **options)
        files = (f for f in Path(folder).rglob("*") if f.is_file() and f.name != "run.lock")
        return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def gather(shards: list[Files], out: Any) -> Results:
    """One run of all shards, in the directory ``out`` if there is to be one."""
    with tempfile.TemporaryDirectory(prefix="longarm-merge-") as folder:
        folders = []
        for i, files in enumerate(shards):
            folders.append(Path(folder) / f"shard-{i}")
            for name, data in files.items():
                path = folders[-1] / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        results = merge(folders, out or Path(folder) / "all")
        return results if out else Results(results.summary, results.rows)


def arguments(
    policy: str | Callable | None, make_policy: Callable | None, tasks: Any, options: dict[str, Any]
) -> tuple[Any, bool, dict[str, Any]]:
    """Who acts, whether that is yet to be made, and what ``evaluate`` is told."""
    if (policy is None) == (make_policy is None):
        raise TypeError("give either policy or make_policy")
    for name in ("out", "shard", "resume"):
        if name in options:
            raise TypeError(f"{name} is the launcher's own business")
    named = policy if isinstance(policy, str) else None
    who = make_policy or policy
    label = options.get("label") or named or getattr(who, "__name__", type(who).__name__)
    return who, make_policy is not None, options | {"tasks": tasks, "label": label}
