"""Evaluations, recordings and servers, through the public API."""

import json
import socket
import threading

import numpy as np
import pytest

import longarm

TASK = "longbench/stack-block"
FAST = {"cameras": False, "max_steps": 25}


def timeless(results):
    return [{k: v for k, v in r.items() if k not in ("wall_s", "inference")} for r in results.rows]


class Noisy:
    """Random actions that follow from the episode alone, with a state of its own per episode."""

    def __init__(self, chunk=1):
        self.chunk, self.random, self.batches = chunk, {}, []

    def reset(self, episodes):
        for e in episodes:
            self.random.pop(e, None)

    def __call__(self, seen):
        self.batches.append(len(seen["episode"]))
        out = []
        for e, seed in zip(seen["episode"].tolist(), seen["policy_seed"].tolist(), strict=True):
            random = self.random.setdefault(e, np.random.default_rng(seed))
            out.append(random.uniform(-1, 1, (self.chunk, 7)))
        return np.array(out)


def test_batching_changes_nothing():
    policies = [Noisy(), Noisy(), Noisy()]
    alone, together, split = (
        longarm.evaluate(
            p,
            [TASK, "longbench/swap-blocks"],
            episodes=3,
            batch=b,
            label="noisy",
            workers=w,
            **FAST,
        )
        for p, b, w in zip(policies, (1, 4, 6), (1, 2, 2), strict=True)
    )
    assert timeless(alone) == timeless(together) == timeless(split)
    assert max(policies[0].batches) == 1
    assert max(policies[1].batches) == 4 and policies[2].batches[0] == 6, "tasks share batches"
    assert [r["index"] for r in alone.rows] == list(range(6))
    assert {r["steps"] for r in alone.rows} == {25}
    assert "longbench/swap-blocks" in str(alone)


def test_chunks_are_taken_open_loop():
    policy = Noisy(chunk=5)
    longarm.evaluate(policy, TASK, episodes=1, **FAST)
    assert len(policy.batches) == 5
    policy = Noisy(chunk=5)
    longarm.evaluate(policy, TASK, episodes=1, execute=2, **FAST)
    assert len(policy.batches) == 13


def test_a_policy_that_breaks_ends_its_own_episode_only():
    def fragile(seen):
        if (seen["episode"] == 1).any() and (seen["step"] >= 5).any():
            raise ZeroDivisionError("no idea")
        out = np.zeros((len(seen["episode"]), 7), np.float32)
        out[(seen["episode"] == 2) & (seen["step"] == 3)] = np.nan
        return out

    rows = [longarm.evaluate(fragile, TASK, episodes=4, batch=b, **FAST).rows for b in (1, 4)]
    for r in rows:
        outcomes = [row["outcome"] for row in r]
        assert outcomes == ["task_failure", "policy_error", "policy_error", "task_failure"]
        headline, trace = r[1]["reason"].split("\n", 1)
        assert headline == "ZeroDivisionError: no idea" and r[1]["steps"] == 5
        assert "test_evaluation.py" in trace and "evaluation.py" not in trace.replace("test_eval", "")
        assert "finite" in r[2]["reason"] and r[2]["steps"] == 3
        assert r[0]["steps"] == r[3]["steps"] == 25
    shapes = longarm.evaluate(lambda seen: np.zeros(3), TASK, episodes=2, **FAST)
    assert all("shape" in r["reason"] for r in shapes.rows)
    assert shapes.summary["counts"]["policy_errors"] == 2

    def stop(seen):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        longarm.evaluate(stop, TASK, episodes=1, **FAST)


def test_run_directories_resume_merge_and_replay(tmp_path):
    whole = longarm.evaluate(
        Noisy(), TASK, episodes=3, label="noisy", out=tmp_path / "whole", **FAST
    )
    assert (tmp_path / "whole/report.html").exists()
    assert timeless(longarm.read_results(tmp_path / "whole")) == timeless(whole)
    parts = []
    for i in (1, 2):
        parts.append(tmp_path / f"part{i}")
        longarm.evaluate(
            Noisy(), TASK, episodes=3, label="noisy", out=parts[-1], shard=(i, 2), **FAST
        )
    merged = longarm.merge(parts, tmp_path / "merged")
    assert timeless(merged) == timeless(whole)
    assert merged.summary["tasks"] == whole.summary["tasks"]

    rows = (tmp_path / "whole/episodes.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "whole/episodes.jsonl").write_bytes(b"".join(rows[:2]) + rows[2][:40])
    with pytest.raises(longarm.RunError, match="whole"):
        longarm.evaluate(Noisy(), TASK, episodes=3, label="noisy", out=tmp_path / "whole", **FAST)
    again = longarm.evaluate(
        Noisy(), TASK, episodes=3, label="noisy", out=tmp_path / "whole", resume=True, **FAST
    )
    assert timeless(again) == timeless(whole)

    trace = tmp_path / "whole" / whole.rows[1]["trace"]
    played = longarm.replay(trace, cameras=["top"], size=32)
    assert played.record["state_hash"] == whole.rows[1]["state_hash"]
    assert played.observations["pixels"]["top"].shape == (26, 32, 32, 3)
    trace.write_bytes(trace.read_bytes()[:-1])
    with pytest.raises(longarm.TraceError, match=trace.name):
        longarm.replay(trace)
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(longarm.TraceError, match="bad.json"):
        longarm.replay(tmp_path / "bad.json")


def test_demonstrations_are_the_experts(tmp_path):
    demos = list(longarm.demonstrations(TASK, 2, seed=4, obs="lerobot", cameras=["wrist"], size=16))
    expert = longarm.evaluate("expert", TASK, episodes=2, seed=4)
    assert expert.success == 1.0 and expert.score == 100.0
    for demo, row in zip(demos, expert.rows, strict=True):
        assert demo.success and demo.scores[-1] == 100.0
        assert (demo.seed, len(demo)) == (row["seed"], row["steps"])
        assert demo.record["state_hash"] == row["state_hash"]
        assert demo.observations["agent_pos"].shape[0] == len(demo) + 1
        assert demo.observations["pixels"]["wrist"].shape == (len(demo) + 1, 16, 16, 3)
        assert len(set(demo.doing)) > 1 and demo.stages.max() >= 1
    # The same through a JSON trace.
    stored = {"task": TASK, "seed": 4, "actions": demos[0].actions.tolist()}
    (tmp_path / "t.json").write_text(json.dumps(stored))
    assert longarm.replay(tmp_path / "t.json").record["state_hash"] == demos[0].record["state_hash"]


def test_selectors_and_policies_that_are_not_there():
    with pytest.raises(longarm.TaskError, match="did you mean"):
        longarm.evaluate("expert", "longbench/stack-blok")
    with pytest.raises(longarm.PolicyError, match="did you mean expert"):
        longarm.evaluate("expart", TASK, episodes=1)
    with pytest.raises(longarm.RunError, match="episodes"):
        longarm.evaluate("expert", TASK, episodes=0)


def test_a_served_policy_is_the_same_policy():
    seen = []

    def policy(observation):
        seen.append(observation)
        random = np.random.default_rng([observation["policy_seed"], observation["step"]])
        return random.uniform(-1, 1, 7).astype(np.float32)

    def same(batch):
        rows = zip(batch["policy_seed"].tolist(), batch["step"].tolist(), strict=True)
        return np.stack(
            [np.random.default_rng(r).uniform(-1, 1, 7).astype(np.float32) for r in rows]
        )

    here = longarm.evaluate(same, TASK, episodes=2, label="p", **FAST)
    with longarm.PolicyServer(policy, port=0) as server:
        there = longarm.evaluate(
            f"openpi:127.0.0.1:{server.port}", TASK, episodes=2, label="p", max_steps=25
        )
        with socket.create_connection(("127.0.0.1", server.port)) as s:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert s.recv(100).startswith(b"HTTP/1.1 200 OK")
    for a, b in zip(timeless(here), timeless(there), strict=True):
        assert a == b
    first = seen[0]
    assert first["prompt"] == here.rows[0].get("instruction", first["prompt"])
    assert first["observation/image/top"].dtype == np.uint8
    assert first["observation/tool_pose"].shape == (7,)


def test_a_served_policy_that_raises_is_reported_and_served_again():
    calls = threading.local()

    def policy(observation):
        if observation["step"] >= 3:
            raise RuntimeError("out of ideas")
        return {"actions": np.zeros((1, 7))}

    del calls
    with longarm.PolicyServer(policy, port=0) as server:
        results = longarm.evaluate(f"openpi:127.0.0.1:{server.port}", TASK, episodes=2, max_steps=9)
    assert [r["outcome"] for r in results.rows] == ["policy_error"] * 2
    assert all("out of ideas" in r["reason"] and r["steps"] == 3 for r in results.rows)


class Counter:
    """Remembers how often it was asked, and says so."""

    def __init__(self):
        self.asked = 0

    def __call__(self, seen):
        self.asked += 1
        return np.float32([self.asked / 100, 0, 0, 0, 0, 0, -1])


class Ledger:
    """The same for all episodes at once, told apart by their numbers."""

    def __init__(self):
        self.asked = {}

    def reset(self, episodes):
        self.asked.update(dict.fromkeys(episodes, 0))

    def __call__(self, seen):
        self.asked[seen["episode"]] += 1
        return np.float32([self.asked[seen["episode"]] / 100, 0, 0, 0, 0, 0, -1])


@pytest.mark.parametrize("how", [{"factory": Counter}, {"policy": Ledger()}])
def test_episodes_with_memory_do_not_mix(how, tmp_path):
    rows = []
    with longarm.PolicyServer(**how, port=0) as server:
        for workers in (8, 1):
            out = tmp_path / str(workers)
            address = f"openpi:127.0.0.1:{server.port}?size=32"
            results = longarm.evaluate(
                address, TASK, episodes=16, label="p", max_steps=9, workers=workers, out=out
            )
            for row in results.rows:
                _, _, actions = longarm._native.read_trace(out / row["trace"])
                assert actions[:, 0] == pytest.approx(np.arange(1, 10) / 100)
            rows.append(timeless(results))
    assert rows[0] == rows[1]
    with pytest.raises(TypeError, match="either"):
        longarm.PolicyServer()


def test_a_server_that_is_gone_is_no_score(tmp_path):
    calls = []

    def policy(observation):
        calls.append(observation)
        return np.zeros(7, np.float32)

    def run(address, **more):
        return longarm.evaluate(
            address, TASK, episodes=3, label="p", max_steps=9, out=tmp_path / "run", **more
        )

    with longarm.PolicyServer(policy, port=0) as server:
        address = f"openpi:127.0.0.1:{server.port}"
        whole = longarm.evaluate(address, TASK, episodes=3, label="p", max_steps=9)
        calls.clear()

        def dying(observation):
            if len(calls) == 13:
                server.close()
                raise SystemExit  # Ends the connection as the end of a process does.
            return policy(observation)

        server.policy = dying
        with pytest.raises(longarm.PolicyError, match="nothing listens"):
            run(address, reconnect=0.5, workers=1)
    part = longarm.read_results(tmp_path / "run")
    assert [r["outcome"] for r in part.rows] == ["task_failure"]
    with longarm.PolicyServer(policy, port=server.port):
        again = run(address, resume=True)
    assert timeless(again) == timeless(whole)


def test_a_callable_that_cannot_reach_its_model_stops_the_run(tmp_path):
    asked, limit = [], [None]

    def policy(seen):
        asked.append(seen["episode"][0])
        if len(asked) == limit[0]:
            raise ConnectionRefusedError("the model's server is down")
        return np.zeros((len(seen["episode"]), 7), np.float32)

    def run(**more):
        return longarm.evaluate(policy, TASK, episodes=3, batch=1, **FAST, **more)

    whole = run()
    asked.clear()
    limit[0] = 30
    with pytest.raises(longarm.PolicyError, match="server is down"):
        run(out=tmp_path / "run")
    assert len(longarm.read_results(tmp_path / "run").rows) == 1
    again = run(out=tmp_path / "run", resume=True)
    assert timeless(again) == timeless(whole)


def test_the_wire_speaks_openpis_bytes():
    from longarm import _wire

    array = _wire.pack(np.float32([1, 2]))
    assert array == (
        b"\x84\xc4\x0b__ndarray__\xc3\xc4\x04data\xc4\x08\x00\x00\x80?\x00\x00\x00@"
        b"\xc4\x05dtype\xa3<f4\xc4\x05shape\x91\x02"
    )
    assert (
        _wire.pack(np.bool_(True))
        == b"\x83\xc4\x0d__npgeneric__\xc3\xc4\x04data\xc3\xc4\x05dtype\xa3|b1"
    )
    deep = {
        "a": [1, -1, 300, -70000, 1.5, None, True, "ü" * 40],
        "b": {"c": np.arange(70000).reshape(2, -1)},
    }
    back = _wire.unpack(_wire.pack(deep))
    assert back["a"] == deep["a"] and np.array_equal(back["b"]["c"], deep["b"]["c"])
    for cut in range(1, len(array)):
        with pytest.raises(_wire.WireError):
            _wire.unpack(array[:cut])
    with pytest.raises(_wire.WireError):
        _wire.pack({"x": object()})
