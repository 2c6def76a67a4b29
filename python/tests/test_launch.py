"""Launchers without the packages they launch with: executors that lose work stand in for them."""

import numpy as np
import pytest

import longarm

TASKS = ["longbench/stack-block", "longbench/swap-blocks"]
FAST = {"episodes": 3, "cameras": False, "max_steps": 12, "label": "noisy"}


def timeless(results):
    return [{k: v for k, v in r.items() if k not in ("wall_s", "inference")} for r in results.rows]


def noisy(seen):
    rows = zip(seen["policy_seed"].tolist(), seen["step"].tolist(), strict=True)
    return np.stack([np.random.default_rng(r).uniform(-1, 1, 7) for r in rows])


class Breaking:
    """Acts as ``noisy`` does, for a number of calls."""

    def __init__(self, most):
        self.most = most

    def __call__(self, seen):
        self.most -= 1
        if self.most < 0:
            raise ConnectionError("the model is gone")
        return noisy(seen)


@pytest.fixture
def launcher(executor):
    def make(name, lose=()):
        executor(name, lose)
        return getattr(longarm.launch, name).evaluate

    return make


@pytest.fixture(scope="module")
def plain():
    return longarm.evaluate(noisy, TASKS, **FAST)


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_shards_give_the_rows_of_a_plain_run(name, launcher, plain, tmp_path):
    results = launcher(name)(noisy, TASKS, shards=4, out=tmp_path / "run", **FAST)
    assert timeless(results) == timeless(plain)
    assert results.summary["tasks"] == plain.summary["tasks"]
    assert timeless(longarm.read_results(tmp_path / "run")) == timeless(plain)


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_a_shard_whose_worker_dies_is_run_again(name, launcher, plain):
    # The second of the first round, and the first of the second.
    results = launcher(name, lose=[1, 3])(noisy, TASKS, shards=3, retries=2, **FAST)
    assert timeless(results) == timeless(plain)


def test_a_shard_goes_on_where_it_stopped(launcher, plain):
    # Three episodes of 12 calls each: the first shard breaks in its second, and two are left of it.
    calls, made = [15, 36, 24], []

    def make():
        made.append(Breaking(calls[len(made)]))
        return made[-1]

    results = launcher("ray")(
        make_policy=make, tasks=TASKS, shards=2, retries=1, batch=1, workers=1, **FAST
    )
    assert timeless(results) == timeless(plain)
    assert [m.most for m in made] == [-1, 0, 0]


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_what_stays_broken_leaves_a_run_that_resume_completes(name, launcher, plain, tmp_path):
    out = tmp_path / "run"

    with pytest.raises(longarm.RunError) as e:
        launcher(name)(
            make_policy=lambda: Breaking(15),
            tasks=TASKS,
            shards=2,
            retries=0,
            out=out,
            batch=1,
            **FAST,
        )
    text = str(e.value)
    assert "shard 1/2, 2/2 failed after 1 try" in text and "resume=True" in text
    assert "the model is gone" in text and "test_launch.py" in text, "the policy's own traceback"
    part = longarm.read_results(out)
    assert len(part.rows) == 2 and not part.summary["complete"]
    whole = longarm.evaluate(noisy, TASKS, out=out, resume=True, **FAST)
    assert timeless(whole) == timeless(plain) and whole.summary["complete"]


def test_a_worker_that_stays_dead_is_the_cause(launcher, tmp_path):
    with pytest.raises(longarm.RunError, match="worker 2 died") as e:
        launcher("ray", lose=range(1, 100))(
            noisy, TASKS, shards=2, retries=1, out=tmp_path / "run", **FAST
        )
    assert "2/2 failed after 2 tries" in str(e.value)
    assert isinstance(e.value.__cause__, RuntimeError)
    assert len(longarm.read_results(tmp_path / "run").rows) == 3
    with pytest.raises(longarm.RunError, match="nothing was kept"):
        launcher("ray", lose=range(100))(noisy, TASKS, shards=2, retries=0, **FAST)


def test_what_is_wrong_is_found_before_any_work(executor, tmp_path):
    def never(*_, **__):
        raise AssertionError("work was started")

    ray = executor("ray")
    ray.remote = never
    launch = longarm.launch.ray.evaluate
    (tmp_path / "there").mkdir()
    with pytest.raises(longarm.RunError, match="exists already"):
        launch(noisy, TASKS, out=tmp_path / "there")
    (tmp_path / "file").write_text("")
    with pytest.raises(longarm.RunError, match="cannot write"):
        launch(noisy, TASKS, out=tmp_path / "file" / "run")
    with pytest.raises(longarm.TaskError, match="did you mean"):
        launch(noisy, "longbench/stack-blok", out=tmp_path / "new")
    with pytest.raises(TypeError, match="epizodes"):
        launch(noisy, TASKS, epizodes=3)
    with pytest.raises(TypeError, match="resume"):
        launch(noisy, TASKS, resume=True)
    with pytest.raises(TypeError, match="either"):
        launch(tasks=TASKS)
    with pytest.raises(longarm.RunError, match="at least one"):
        launch(noisy, TASKS, shards=0)
    assert ray.started == 0 and not (tmp_path / "new").exists()
