"""The environments against Gymnasium's own checkers and its own vector environments."""

import gc
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import longarm

ID = "longarm/longbench/stack-block-v1"
# Five steps, so that episodes end often.
SHORT = {"cameras": ["wrist"], "size": 32, "limit": 5}


def same(a, b):
    return data_equivalence(a, b, exact=True)


@pytest.mark.parametrize("obs", ["longarm", "lerobot", "libero"])
def test_gymnasium_checks_the_environment(obs):
    env = gymnasium.make(ID, obs=obs, size=32, privileged=True, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|unwrapped).*")
        check_env(env.unwrapped)
    env.close()


def test_every_task_is_registered_and_says_what_it_is():
    tasks = longarm.tasks()
    assert len(tasks) >= 10
    for task in tasks:
        assert gymnasium.spec(task.gym_id).kwargs == {"task": task.id}
    gymnasium.make("longarm:" + ID, cameras=False).close()
    task = longarm.tasks("longbench/stack-block")[0]
    assert task.horizon > 0 and task.stages and {c[0] for c in task.cameras} == {"top", "wrist"}


def test_presets_have_their_names():
    keys = {}
    for obs in ("longarm", "lerobot", "libero"):
        env = gymnasium.make(ID, obs=obs, size=(40, 24), privileged=obs == "longarm")
        seen, info = env.reset(seed=0)
        assert seen in env.observation_space
        assert info["instruction"] == env.unwrapped.task_description
        keys[obs] = seen
    assert set(keys["lerobot"]) == {"agent_pos", "pixels"}
    assert set(keys["longarm"]) >= {"joint_position", "tool_pose", "environment_state", "pixels"}
    top = keys["lerobot"]["pixels"]["top"]
    assert top.shape == (24, 40, 3) and top.std() > 5
    # LIBERO's pictures come bottom row first, its world's origin is elsewhere.
    assert np.array_equal(keys["libero"]["agentview_image"], top[::-1])
    moved = keys["libero"]["robot0_eef_pos"] - keys["longarm"]["tool_pose"][:3]
    assert np.allclose(moved, [-0.56, 0, 0.9064], atol=1e-6)
    wxyz, xyzw = keys["longarm"]["tool_pose"][3:], keys["libero"]["robot0_eef_quat"]
    assert np.allclose(np.roll(wxyz, -1), xyzw)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("reward", ["sparse", "stages", "dense"])
def test_vector_semantics_are_those_of_gymnasium(mode, reward):
    n, options = 3, SHORT | {"reward": reward}
    ours = gymnasium.make_vec(ID, num_envs=n, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: gymnasium.make(ID, **options)] * n, autoreset_mode=mode)
    assert isinstance(ours, longarm.VectorEnv)
    assert ours.metadata["autoreset_mode"] == mode
    for name in ("observation_space", "action_space", "single_observation_space"):
        assert getattr(ours, name) == getattr(theirs, name), name
    ours.action_space.seed(1)
    got, want = ours.reset(seed=[5, 9, 5]), theirs.reset(seed=[5, 9, 5])
    assert same(got, want)
    for step in range(13):
        if mode == AutoresetMode.DISABLED and step and (got[2] | got[3]).any():
            mask = got[2] | got[3]
            a = ours.reset(options={"reset_mask": mask.copy()})
            b = theirs.reset(options={"reset_mask": mask.copy()})
            assert same(a, b), step
        actions = ours.action_space.sample()
        if step == 2:
            # One environment falls out of step with the others.
            options_ = {"reset_mask": np.array([True, False, False])}
            assert same(ours.reset(options=dict(options_)), theirs.reset(options=dict(options_)))
        got, want = ours.step(actions), theirs.step(actions)
        assert same(got[:4], want[:4]), step
        assert set(got[4]) == set(want[4]), step
        for key in want[4]:
            assert same(got[4][key], want[4][key]), (step, key)
    assert got[0] in ours.observation_space
    ours.close()
    ours.close()


def test_results_do_not_depend_on_company_or_threads():
    actions = np.random.default_rng(0).uniform(-1, 1, (6, 7)).astype(np.float32)
    ends = []
    for n, workers in ((1, 1), (4, 1), (4, 3)):
        envs = gymnasium.make_vec(ID, num_envs=n, workers=workers, size=32)
        envs.reset(seed=11)
        for a in actions:
            seen, *_ = envs.step(np.tile(a, (n, 1)))
        ends.append(
            {k: v[0] for k, v in seen.items() if k != "pixels"} | {"top": seen["pixels"]["top"][0]}
        )
    assert same(ends[0], ends[1]) and same(ends[1], ends[2])


def test_observations_stay_as_they_are_while_somebody_has_them():
    envs = gymnasium.make_vec(ID, num_envs=2, cameras=["top"], size=16)
    seen, _ = envs.reset(seed=0)
    kept = [seen["pixels"]["top"][0, 2:], seen["tool_pose"].T]
    copies = [k.copy() for k in kept]
    addresses = set()
    for _ in range(40):
        seen, *_ = envs.step(envs.action_space.sample())
        addresses.add(seen["tool_pose"].ctypes.data)
    assert all(np.array_equal(k, c) for k, c in zip(kept, copies, strict=True))
    # And their memory serves again once nobody has: the arrays are ours, not copies.
    assert len(addresses) <= 3
    everything = [envs.step(envs.action_space.sample())[0]["tool_pose"] for _ in range(20)]
    assert len({a.ctypes.data for a in everything}) == 20
    del everything
    gc.collect()


def test_numpy_arrays_become_tensors_without_a_copy():
    torch = pytest.importorskip("torch")
    envs = gymnasium.make_vec(ID, num_envs=2, cameras=False)
    seen, _ = envs.reset(seed=0)
    for tensor in (torch.from_numpy(seen["tool_pose"]), torch.from_dlpack(seen["tool_pose"])):
        assert tensor.data_ptr() == seen["tool_pose"].ctypes.data
    before = tensor.clone()
    del seen
    for _ in range(5):
        envs.step(envs.action_space.sample())
    assert torch.equal(tensor, before)


def test_dlpack_shares_memory():
    envs = gymnasium.make_vec(ID, num_envs=2, cameras=False)
    pose = envs.reset(seed=0)[0]["tool_pose"]
    shared = np.from_dlpack(pose)
    assert shared.ctypes.data == pose.ctypes.data
    before = shared.copy()
    del pose
    for _ in range(5):
        envs.step(envs.action_space.sample())
    assert np.array_equal(shared, before)


def test_success_is_said_in_every_way():
    demo = next(longarm.demonstrations("longbench/stack-block", 1, seed=2))
    envs = gymnasium.make_vec(
        ID, num_envs=2, cameras=False, autoreset_mode="SameStep", reward="stages"
    )
    envs.reset(seed=[2, 3])
    total = np.zeros(2)
    for a in demo.actions:
        assert not envs.call("task_description")[0].count("{")
        _, rewards, terminated, truncated, infos = envs.step(np.stack([a, np.zeros(7)]))
        total += rewards
    assert terminated[0] and not truncated[0] and np.isclose(total[0], 1.0)
    assert infos["final_info"]["is_success"][0] and infos["final_info"]["success"][0]
    assert infos["final_info"]["score"][0] == 100.0
    assert infos["_final_info"].tolist() == [True, False]
    assert not infos["is_success"][0], "the next episode has begun"
    env = gymnasium.make(ID, cameras=False)
    env.reset(seed=2)
    for a in demo.actions:
        _, reward, terminated, _, info = env.step(a)
    assert terminated and reward == 1.0 and info["is_success"] and info["success"]
    assert env.unwrapped.record("expert")["state_hash"] == demo.record["state_hash"]
    with pytest.raises(longarm.Error, match="reset"):
        env.step(a)


def test_dense_reward_rises_with_the_expert_and_not_by_waiting():
    demo = next(longarm.demonstrations("longbench/stack-block", 1, seed=2))
    env = gymnasium.make(ID, cameras=False, reward="dense")
    env.reset(seed=2)
    dense = np.array([env.step(a)[1] for a in demo.actions])
    assert ((dense >= 0) & (dense <= 1)).all() and dense[-1] == 1.0 and dense[:-1].max() < 1.0
    means = [part.mean() for part in np.array_split(dense, 5)]
    assert means == sorted(means) and means[-1] > means[0] + 0.5
    env.reset(seed=2)
    still = np.float32([0, 0, 0, 0, 0, 0, -1])
    assert max(env.step(still)[1] for _ in range(40)) < 0.02
    with pytest.raises(longarm.TaskError, match="sparse, stages, dense"):
        gymnasium.make(ID, reward="shaped")


def test_hints_say_what_evaluate_says():
    task = "longbench/stack-block"
    demo = next(longarm.demonstrations(task, 1))
    env = longarm.make(task, cameras=False, hints="subtask")
    _, info = env.reset(seed=demo.seed)
    told = [info["instruction"]]
    for action in demo.actions:
        told += [info["instruction"]] if "instruction" in (info := env.step(action)[-1]) else []
    plain = longarm.make(task, cameras=False).reset(seed=demo.seed)[1]["instruction"]
    assert len(told) > 2 and plain not in told[:-1]
    envs = gymnasium.make_vec(ID, num_envs=2, cameras=False, hints="subtask")
    assert envs.reset(seed=[demo.seed] * 2)[1]["instruction"].tolist() == [told[0]] * 2
    said = []

    def policy(seen):
        said.extend(t for t in seen["instruction"] if said[-1:] != [t])
        return demo.actions[seen["step"]]

    look = {"cameras": False, "hints": "subtask"}
    (row,) = longarm.evaluate(policy, task, episodes=1, seed=demo.seed, **look).rows
    # What is told after the last action nobody is asked about.
    assert row["outcome"] == "success" and said == told[: len(said)] and len(told) - len(said) < 2
    with pytest.raises(longarm.Error, match="subtask"):
        longarm.make(task, hints="answers")


def test_rendering_is_for_people_and_changes_nothing():
    env = gymnasium.make(ID, render_mode="rgb_array", size=32)
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (360, 480, 3) and picture.dtype == np.uint8 and picture.std() > 10
    envs = gymnasium.make_vec(ID, num_envs=2, cameras=False, render_mode="rgb_array")
    envs.reset(seed=0)
    first, second = envs.render()
    assert np.array_equal(first, picture) and not np.array_equal(first, second)


def test_what_is_wrong_is_named():
    for make, words in (
        (lambda: longarm.Env("longbench/stak-block"), "did you mean longbench/stack-block"),
        (lambda: longarm.Env("stack-block"), "did you mean longbench/stack-block"),
        (lambda: longarm.Env("longbench/stack-block", cameras=["tpo"]), "there are top, wrist"),
        (
            lambda: longarm.Env("longbench/stack-block", obs="gym"),
            "there are longarm, lerobot, libero",
        ),
        (lambda: longarm.Env("longbench/stack-block", size=0), "0x0"),
        (lambda: longarm.Env("longbench/*"), "an environment has one"),
        (lambda: longarm.VectorEnv("longbench/stack-block", 0), "at least one"),
    ):
        with pytest.raises(longarm.TaskError, match=words):
            make()
    env = longarm.Env("longbench/stack-block", cameras=False)
    with pytest.raises(longarm.Error, match="reset"):
        env.step(np.zeros(7))
    env.reset(seed=0)
    with pytest.raises(longarm.ActionError, match="shape"):
        env.step(np.zeros(6))
    with pytest.raises(longarm.ActionError, match="finite"):
        env.step(np.full(7, np.nan))
    env.step(np.zeros(7))  # a refused action leaves everything as it was
    env.close()
    with pytest.raises(longarm.Error, match="closed"):
        env.reset()
    for e in (longarm.TaskError, longarm.ActionError, longarm.RunError, longarm.PolicyError):
        assert issubclass(e, longarm.Error)


@pytest.mark.parametrize("order", ["longarm, gymnasium", "gymnasium, longarm", "longarm.envs"])
def test_tasks_are_registered_whoever_comes_first(order):
    code = (
        f"import {order}; import gymnasium; gymnasium.spec({ID!r}); gymnasium.make({ID!r}).close()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_import_is_quick_and_brings_only_itself():
    code = (
        "import sys, longarm; assert not {'numpy', 'gymnasium'} & set(sys.modules);"
        "assert all(getattr(longarm, name) is not None for name in longarm.__all__);"
        "assert not hasattr(longarm, 'nothing')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
