"""`lerobot-eval --env.type=longarm` with an untrained policy. Run by `cargo xtask interop`."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    import lerobot

    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "lerobot.scripts.lerobot_eval",
            "--env.discover_packages_path=lerobot_env_longarm",
            "--env.type=longarm",
            "--env.task=longbench/stack-block",
            "--env.observation_height=96",
            "--env.observation_width=96",
            "--env.episode_length=30",
            "--policy.type=act",
            "--policy.pretrained_backbone_weights=null",
            "--policy.device=cpu",
            "--policy.push_to_hub=false",
            "--policy.chunk_size=10",
            "--policy.n_action_steps=10",
            "--eval.n_episodes=3",
            "--eval.batch_size=2",
            f"--output_dir={folder}",
        ]
        offline = {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "CUDA_VISIBLE_DEVICES": ""}
        subprocess.run(command, check=True, env=os.environ | offline)
        info = json.loads((Path(folder) / "eval_info.json").read_text())
        videos = list(Path(folder).rglob("*.mp4"))
    overall = info["overall"]
    assert overall["n_episodes"] == 3, overall
    assert len(videos) == 3, videos
    version = getattr(lerobot, "__version__", "?")
    print(f"lerobot {version}: {overall}")


if __name__ == "__main__":
    main()
