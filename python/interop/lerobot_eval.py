"""LeRobot from end to end: it trains ten steps on our demonstrations and evaluates what came of it on our
task; the same episodes with the policy served to `longarm eval`, and called by `longarm.evaluate`, have the
same steps, rewards and outcomes. Run by `cargo xtask interop`."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import av
import lerobot
import numpy as np
import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.envs.utils import preprocess_observation
from lerobot.policies.factory import get_policy_class, make_pre_post_processors

import longarm

TASK, SEED, EPISODES, STEPS, CHUNK = "longbench/stack-block", 1000, 4, 40, 10
OFFLINE = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "CUDA_VISIBLE_DEVICES": ""}


def run(module, *words):
    command = [sys.executable, "-m", module, *words]
    subprocess.run(command, check=True, env=os.environ | OFFLINE)


class Trained:
    """A checkpoint of LeRobot's as longarm asks it, by `evaluate` or served."""

    def __init__(self, path):
        config = PreTrainedConfig.from_pretrained(path)
        config.device = "cpu"
        self.policy = get_policy_class(config.type).from_pretrained(path, config=config).eval()
        self.before, self.after = make_pre_post_processors(config, pretrained_path=str(path))

    @torch.inference_mode()
    def __call__(self, seen):
        state = np.concatenate([seen["joint_position"], seen["gripper_opening"]], axis=1)
        observed = preprocess_observation({"agent_pos": state, "pixels": seen["pixels"]})
        observed = self.before(observed | {"task": seen["instruction"]})
        chunk = self.policy.predict_action_chunk(observed)
        return torch.stack([self.after(chunk[:, k]) for k in range(CHUNK)], 1).numpy()


def train(folder):
    demos = ["--size=own", "--episodes=2", "--format=lerobot", f"--out={folder / 'data'}"]
    run("longarm", "demos", TASK, *demos)
    run(
        "lerobot.scripts.lerobot_train",
        "--dataset.repo_id=longarm/demos",
        f"--dataset.root={folder / 'data'}",
        "--dataset.video_backend=pyav",
        "--policy.type=act",
        "--policy.pretrained_backbone_weights=null",
        "--policy.device=cpu",
        "--policy.push_to_hub=false",
        f"--policy.chunk_size={CHUNK}",
        f"--policy.n_action_steps={CHUNK}",
        "--policy.dim_model=64",
        "--policy.dim_feedforward=128",
        # Large steps, so that ten of them make a policy that moves.
        "--policy.optimizer_lr=1e-3",
        "--steps=10",
        "--save_freq=10",
        "--log_freq=1",
        "--batch_size=2",
        "--num_workers=0",
        f"--output_dir={folder / 'trained'}",
    )
    return folder / "trained/checkpoints/last/pretrained_model"


def theirs(folder, checkpoint):
    """Success, return and steps of each episode as `lerobot-eval` has them."""
    out = folder / "theirs"
    _, width, height = longarm.tasks(TASK)[0].cameras[0]
    run(
        "lerobot.scripts.lerobot_eval",
        "--env.type=longarm",
        f"--env.task={TASK}",
        f"--env.observation_height={height}",
        f"--env.observation_width={width}",
        f"--env.episode_length={STEPS}",
        "--env.reward=dense",
        f"--policy.path={checkpoint}",
        "--policy.device=cpu",
        f"--seed={SEED}",
        f"--eval.n_episodes={EPISODES}",
        # One observation at a time, as a server gets them: sums over a batch are rounded otherwise.
        "--eval.batch_size=1",
        f"--output_dir={out}",
    )
    (told,) = json.loads((out / "eval_info.json").read_text())["per_task"]
    films = [next(out.rglob(f"eval_episode_{k}.mp4")) for k in range(EPISODES)]
    metrics = told["metrics"]
    return list(zip(metrics["successes"], metrics["sum_rewards"], map(frames, films), strict=True))


def frames(film):
    """LeRobot films one picture per step."""
    with av.open(str(film)) as video:
        return sum(1 for _ in video.decode(video=0))


def ours(results):
    """The same of our rows, with rewards from playing their actions again."""
    assert [row["seed"] for row in results.rows] == list(range(SEED, SEED + EPISODES))
    played = [longarm.replay(results.out / row["trace"]) for row in results.rows]
    worth = [float(p.rewards["dense"].sum()) for p in played]
    return [
        (row["outcome"] == "success", total, row["steps"])
        for row, total in zip(results.rows, worth, strict=True)
    ]


def same(a, b, who):
    for x, y in zip(a, b, strict=True):
        assert x[0] == y[0] and x[2] == y[2] and abs(x[1] - y[1]) < 1e-9, f"{who}: {a} is not {b}"


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        checkpoint = train(folder)
        expected = theirs(folder, checkpoint)
        policy = Trained(checkpoint)
        with longarm.PolicyServer(policy, port=0, obs="longarm") as server:
            run(
                "longarm",
                "eval",
                TASK,
                f"--policy=openpi:127.0.0.1:{server.port}?size=native&execute={CHUNK}",
                f"--episodes={EPISODES}",
                f"--seed={SEED}",
                f"--max-steps={STEPS}",
                f"--out={folder / 'served'}",
            )
        served = longarm.read_results(folder / "served")
        called = longarm.evaluate(
            policy,
            TASK,
            episodes=EPISODES,
            seed=SEED,
            batch=1,
            execute=CHUNK,
            max_steps=STEPS,
            out=folder / "called",
        )
        hashes = [[row["action_hash"] for row in r.rows] for r in (served, called)]
        same(ours(served), expected, "longarm eval with the policy served")
        same(ours(called), expected, "longarm.evaluate")
    assert hashes[0] == hashes[1], "the same actions"
    assert len({round(total, 6) for _, total, _ in expected}) == EPISODES, "seeds differ"
    print(f"lerobot {lerobot.__version__}: (success, return, steps) {expected}, ours the same")


if __name__ == "__main__":
    main()
