"""A run over Ray, and one over submitit, equal a plain run row by row. Run by `cargo xtask interop`."""

import os
import tempfile
from pathlib import Path

import numpy as np

import longarm


class Noisy:
    def __call__(self, seen):
        rows = zip(seen["policy_seed"].tolist(), seen["step"].tolist(), strict=True)
        return np.stack([np.random.default_rng(r).uniform(-1, 1, 7) for r in rows])


class Dying(Noisy):
    """Ends its process, once, in the middle of an episode."""

    def __init__(self, mark):
        self.mark, self.calls = Path(mark), 0

    def __call__(self, seen):
        self.calls += 1
        if self.calls == 70 and not self.mark.exists():
            self.mark.touch()
            os._exit(1)
        return super().__call__(seen)


def timeless(results):
    return [{k: v for k, v in r.items() if k not in ("wall_s", "inference")} for r in results.rows]


def main():
    tasks = ["longbench/stack-block", "longbench/swap-blocks"]
    options = {"episodes": 4, "cameras": False, "max_steps": 60, "label": "noisy"}
    plain = longarm.evaluate(Noisy(), tasks, **options)

    # Nothing is to be left behind in the home directory.
    os.environ["RAY_AUTH_MODE"] = "disabled"
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    over_ray = longarm.launch.ray.evaluate(
        make_policy=Noisy, tasks=tasks, shards=3, num_cpus=1, **options
    )
    with tempfile.TemporaryDirectory() as folder:
        mark = str(Path(folder) / "died")
        survived = longarm.launch.ray.evaluate(
            make_policy=lambda: Dying(mark), tasks=tasks, shards=2, num_cpus=1, batch=1, **options
        )
        assert Path(mark).exists(), "a worker died"
    assert timeless(survived) == timeless(plain)
    ray.shutdown()
    assert timeless(over_ray) == timeless(plain)
    assert over_ray.summary["tasks"] == plain.summary["tasks"]
    print(f"ray {ray.__version__}: {len(plain.rows)} rows in 3 shards equal a plain run")

    import submitit

    with tempfile.TemporaryDirectory() as folder:
        over_slurm = longarm.launch.submitit.evaluate(
            make_policy=Noisy, tasks=tasks, shards=2, folder=folder, cluster="local", **options
        )
        mark = str(Path(folder) / "died")
        survived = longarm.launch.submitit.evaluate(
            make_policy=lambda: Dying(mark),
            tasks=tasks,
            shards=2,
            folder=folder,
            cluster="local",
            batch=1,
            **options,
        )
        assert Path(mark).exists(), "a job died"
    assert timeless(over_slurm) == timeless(plain) == timeless(survived)
    print(
        f"submitit {submitit.__version__}: {len(plain.rows)} rows in 2 local jobs equal a plain run"
    )


if __name__ == "__main__":
    main()
