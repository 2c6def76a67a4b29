"""Evaluations, recordings and servers, through the public API."""

import json
import socket
import traceback

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
        assert "test_evaluation.py" in trace and "evaluation.py" not in trace.replace(
            "test_eval", ""
        )
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
    page = (tmp_path / "whole/report.html").read_text(encoding="utf-8")
    assert "Beside what is published" in page and "MemoryVLA" in page
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
    with pytest.raises(longarm.TraceError, match=r"bad\.json"):
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
    with pytest.raises(longarm.RunError, match="max_steps=-1"):
        longarm.evaluate("idle", "longbench/stack-block", episodes=1, max_steps=-1)
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
    def policy(observation):
        if observation["step"] >= 3:
            raise RuntimeError("out of ideas")
        return {"actions": np.zeros((1, 7))}

    with longarm.PolicyServer(policy, port=0) as server:
        results = longarm.evaluate(f"openpi:127.0.0.1:{server.port}", TASK, episodes=2, max_steps=9)
    assert [r["outcome"] for r in results.rows] == ["policy_error"] * 2
    for row in results.rows:
        assert row["steps"] == 3 and "RuntimeError: out of ideas" in row["reason"]
        # The served policy's own lines, as its traceback has them.
        assert 'test_evaluation.py", line' in row["reason"] and "in policy" in row["reason"]


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
                _, _, actions, _ = longarm._native.read_trace(out / row["trace"])
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


def test_options_are_those_of_the_command_line():
    # The same policy in this process and behind a server, with everything between it and the robot.
    def answer(seed, step):
        return np.random.default_rng([seed, step]).uniform(-1, 1, (4, 7)).astype(np.float32)

    def here(batch):
        rows = zip(batch["policy_seed"].tolist(), batch["step"].tolist(), strict=True)
        return {"actions": np.stack([answer(*r) for r in rows])}

    def there(seen):
        return {"actions": answer(seen["policy_seed"], seen["step"]), "subtask": "wave"}

    options = {"execute": 3, "latency": 2, "action_noise": 0.1, "action_repeat": 2, "max_steps": 20}
    ours = longarm.evaluate(here, TASK, episodes=2, label="p", cameras=False, **options)
    with longarm.PolicyServer(there, port=0) as server:
        address = f"openpi:127.0.0.1:{server.port}"
        theirs = longarm.evaluate(address, TASK, episodes=2, label="p", **options)
    assert timeless(ours) == timeless(theirs)
    plain = longarm.evaluate(here, TASK, episodes=2, label="p", cameras=False, max_steps=20)
    assert timeless(plain) != timeless(ours)
    with pytest.raises(longarm.RunError, match="latency"):
        longarm.evaluate(here, TASK, episodes=1, latency=5000)


def test_pixel_noise_is_the_seeds():
    def look(noise):
        kept = []

        def policy(seen):
            kept.append(seen["pixels"]["top"].copy())
            return np.zeros((len(seen["episode"]), 7))

        longarm.evaluate(
            policy, TASK, episodes=1, cameras=["top"], size=16, max_steps=3, pixel_noise=noise
        )
        return np.stack(kept)

    clean, noisy = look(None), look(8.0)
    assert np.array_equal(noisy, look(8.0)) and not np.array_equal(noisy, clean)


def test_a_policy_may_see_every_step():
    class Watching:
        def __init__(self):
            self.seen, self.asked = [], []

        def see(self, seen):
            self.seen += seen["step"].tolist()

        def __call__(self, seen):
            self.asked += seen["step"].tolist()
            assert self.seen[-1] == seen["step"][-1], "what it is asked about it has seen"
            return np.zeros((len(seen["episode"]), 4, 7))

    policy = Watching()
    longarm.evaluate(policy, TASK, episodes=1, cameras=False, max_steps=10)
    assert policy.seen == list(range(10)) and policy.asked == [0, 4, 8]


def test_policies_are_told_one_step_at_a_time():
    demo = next(longarm.demonstrations(TASK, 1, seed=2))
    told, changes = [], {}

    def policy(seen):
        step = int(seen["step"][0])
        if not told or told[-1] != seen["instruction"][0]:
            told.append(seen["instruction"][0])
            changes[step] = told[-1]
        return demo.actions[step][None]

    results = longarm.evaluate(policy, TASK, episodes=1, seed=2, cameras=False, stepwise=True)
    assert results.rows[0]["outcome"] == "success"
    assert len(told) == len(results.rows[0]["stages"]), told
    done = [s["step"] for s in results.rows[0]["stages"]][:-1]
    assert list(changes) == [0, *done], "told again as each stage is completed"
    whole = []
    longarm.evaluate(
        lambda seen: (whole.extend(seen["instruction"]), np.zeros((1, 7)))[1],
        TASK,
        episodes=1,
        seed=2,
        cameras=False,
        max_steps=2,
    )
    assert set(whole).isdisjoint(told)
    # A chain is told step by step by itself, and its environment says so, too.
    env = longarm.Env("boss/c3-1", cameras=False)
    _, info = env.reset(seed=0)
    chain = next(longarm.demonstrations("boss/c3-1", 1, failures=True))
    texts = [info["instruction"]]
    env.reset(seed=chain.seed)
    for a in chain.actions:
        *_, info = env.step(a)
        if "instruction" in info:
            texts.append(info["instruction"])
            assert env.task_description == info["instruction"]
    assert len(texts) >= 1 + (chain.stages.max() >= 1), texts


def test_a_success_may_be_asked_to_stand():
    demo = next(longarm.demonstrations(TASK, 1, seed=2))
    end = len(demo)

    def policy(seen, after):
        step = int(seen["step"][0])
        return (demo.actions[step] if step < end else after)[None]

    def run(after, **options):
        action = np.float32(after)
        rows = longarm.evaluate(
            lambda seen: policy(seen, action), TASK, episodes=1, seed=2, cameras=False, **options
        ).rows
        return rows[0]

    stay, push = [0, 0, 0, 0, 0, 0, -1], [0, 0, -1, 0, 0, 0, -1]
    plain = run(stay)
    assert plain["success_ever"] and plain["success_at_end"] and "stood" not in plain
    kept = run(stay, run_on=30)
    assert kept["steps"] == end + 30 and kept["success_at_end"] and kept["stood"]
    lost = run(push, run_on=60)
    assert lost["outcome"] == "success" and lost["success_ever"]
    assert not lost["success_at_end"] and not lost["stood"]


def test_a_policy_that_breaks_may_end_the_run(tmp_path):
    def fragile(seen):
        if (seen["episode"] == 1).any() and (seen["step"] >= 5).any():
            return {}["the key that is not there"]
        return np.zeros((len(seen["episode"]), 7))

    def run(**more):
        return longarm.evaluate(
            fragile, TASK, episodes=3, seed=0, batch=1, out=tmp_path / "run", **FAST, **more
        )

    with pytest.raises(longarm.PolicyError, match="seed 1 at step 5: KeyError") as e:
        run(raise_errors=True)
    assert isinstance(e.value.__cause__, KeyError)
    frames = traceback.extract_tb(e.value.__cause__.__traceback__)
    assert frames[-1].name == "fragile" and "the key that is not there" in frames[-1].line
    assert len(longarm.read_results(tmp_path / "run").rows) == 1
    with pytest.warns(RuntimeWarning, match="1 of 3 episodes"):
        again = run(resume=True)
    assert [r["outcome"] for r in again.rows] == ["task_failure", "policy_error", "task_failure"]


def test_what_cannot_run_leaves_no_directory(tmp_path):
    out = tmp_path / "run"

    def still(seen):
        return np.zeros((len(seen["episode"]), 7))

    for policy, options, error in (
        ("openpi:127.0.0.1:9?retries=0", {}, longarm.PolicyError),
        ("expart", {}, longarm.PolicyError),
        ("expert", {"episodes": 0}, longarm.RunError),
        ("expert", {"control": "pick-place"}, longarm.TaskError),
        ("expert", {"options": {"strict-libero": True}}, longarm.TaskError),
        (still, {"cameras": ["tpo"]}, longarm.TaskError),
        (still, {"obs": "gym"}, longarm.TaskError),
        (still, {"latency": 5000}, longarm.RunError),
        (still, {"batch": 0}, longarm.TaskError),
        (still, {"control": "joint"}, longarm.TaskError),
    ):
        with pytest.raises(error):
            longarm.evaluate(policy, TASK, **{"episodes": 1, "out": out} | options)
        assert not out.exists(), (policy, options)
    (tmp_path / "file").write_text("")
    with pytest.raises(longarm.RunError, match="not a directory"):
        longarm.evaluate("expert", TASK, episodes=1, out=tmp_path / "file")


def test_control_modes_are_those_of_the_command_line(tmp_path):
    lengths = []

    def still(seen):
        lengths.append(len(seen["joint_position"][0]))
        hold = np.concatenate([seen["joint_position"], -np.ones((len(seen["episode"]), 1))], 1)
        return hold.astype(np.float32)

    results = longarm.evaluate(
        still, TASK, episodes=1, control="joint-target", out=tmp_path / "run", **FAST
    )
    assert results.rows[0]["outcome"] == "task_failure" and set(lengths) == {6}
    assert 'control = "joint-target"' in (tmp_path / "run/run.toml").read_text()
    plain = longarm.evaluate("idle", TASK, episodes=1, max_steps=2)
    assert results.rows[0]["task_hash"] != plain.rows[0]["task_hash"]
    trace = tmp_path / "run" / results.rows[0]["trace"]
    played = longarm.replay(trace, control="joint-target")
    assert played.record["state_hash"] == results.rows[0]["state_hash"]
    with pytest.raises(longarm.TraceError, match="a trace of control='joint-target'"):
        longarm.replay(trace, control="joint-delta")


def test_options_of_a_suite_are_given_by_name(tmp_path):
    task = "libero-90/kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate"
    strict = {"options": {"strict-libero": True}}
    plain, given = longarm.Env(task, cameras=False), longarm.Env(task, cameras=False, **strict)
    hashes = []
    for env in (plain, given):
        env.reset(seed=0)
        hashes.append(env.record()["task_hash"])
    assert hashes[0] != hashes[1]
    named = longarm.evaluate("idle", task, episodes=1, max_steps=1, out=tmp_path / "run", **strict)
    called = longarm.evaluate(
        lambda seen: np.zeros((1, 7)), task, episodes=1, cameras=False, max_steps=1, **strict
    )
    demo = next(longarm.demonstrations(task, 1, failures=True, **strict))
    for row in (named.rows[0], called.rows[0], demo.record):
        assert row["task_hash"] == hashes[1]
    assert "strict-libero = true" in (tmp_path / "run/run.toml").read_text()
    many = longarm.VectorEnv(task, 2, cameras=False, options={"strict-libero": False})
    assert many.engine.native.tasks()[0][1] == hashes[0]
    with pytest.raises(longarm.TaskError, match="did you mean strict-libero"):
        longarm.Env(task, options={"strict-libreo": True})
    with pytest.raises(longarm.TaskError, match="false or true"):
        longarm.Env(task, options={"strict-libero": "maybe"})


class Remembering:
    """One policy for ``evaluate`` and for a server: rows of a batch, told apart by their episodes."""

    def __init__(self):
        self.asked = {}

    def reset(self, episodes):
        self.asked.update(dict.fromkeys(episodes, 0))

    def __call__(self, seen):
        assert seen["pixels"]["top"].shape[1:] == (240, 320, 3)
        assert set(seen["task"]) == {TASK} and all(map(len, seen["instruction"]))
        out = np.zeros((len(seen["episode"]), 2, 7), np.float32)
        for row, episode in enumerate(seen["episode"].tolist()):
            self.asked[episode] += 1
            out[row, :, :3] = np.sin(self.asked[episode] + seen["tool_pose"][row, :3])
            out[row, :, 6] = -1 + seen["gripper_opening"][row, 0] * (seen["step"][row] % 3)
        return {"actions": out}


def test_one_policy_serves_and_is_evaluated():
    here = longarm.evaluate(Remembering(), TASK, episodes=3, label="p", max_steps=11)
    with longarm.PolicyServer(Remembering(), port=0, obs="longarm") as server:
        address = f"openpi:127.0.0.1:{server.port}"
        there = longarm.evaluate(address, TASK, episodes=3, label="p", max_steps=11)
        with pytest.raises(ValueError, match="obs='openpi'"):
            server.infer({"observation/image": np.zeros((4, 4, 3), np.uint8), "prompt": "go"})
    assert [r["outcome"] for r in here.rows] == ["task_failure"] * 3
    assert timeless(here) == timeless(there)
    with pytest.raises(longarm.PolicyError, match="openpi, longarm"):
        longarm.PolicyServer(Remembering(), port=0, obs="gym")


def test_recordings_have_rewards():
    demo = next(longarm.demonstrations(TASK, 1, seed=2))
    assert set(demo.rewards) == {"sparse", "stages", "dense"}
    for kind, values in demo.rewards.items():
        env = longarm.Env(TASK, cameras=False, reward=kind)
        env.reset(seed=2)
        assert np.array_equal(values, [env.step(a)[1] for a in demo.actions]), kind
