"""An unmodified lerobot loads a dataset offline.

Usage: python lerobot_load.py DIR, where DIR holds one recording as `v3` and as `npy` (see datasets_light.py).
"""

import json
import os
import random
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
ROOT = Path(sys.argv[1]).resolve()
os.environ["HF_HOME"] = str(ROOT / "hf-home")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import lerobot
import numpy as np
import pandas as pd
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset


def main():
    rows = [json.loads(l) for l in (ROOT / "v3/longarm/episodes.jsonl").read_text().splitlines()]
    places = [(e, k) for e, row in enumerate(rows) for k in range(row["frames"])]
    where = lambda e, n: np.load(ROOT / "npy/arrays" / rows[e]["task"] / str(rows[e]["seed"]) / f"{n}.npy", mmap_mode="r")

    subtasks = pd.read_parquet(ROOT / "v3/meta/subtasks.parquet")
    # lerobot's default decoder, torchcodec, needs the system's FFmpeg; PyAV brings its own.
    try:
        import torchcodec.decoders  # noqa: F401

        backend = {}
    except (ImportError, OSError, RuntimeError):
        backend = {"video_backend": "pyav"}
    ds = LeRobotDataset("longarm/demos", root=ROOT / "v3", **backend)
    assert len(ds) == len(places) and ds.num_episodes == len(rows)
    fps = ds.fps
    cameras = ds.meta.camera_keys
    assert len(cameras) == 2, cameras
    random.seed(0)
    worst = 0.0
    for i in [0, len(ds) - 1, *random.sample(range(len(ds)), 30)]:
        item, (e, k) = ds[i], places[i]
        assert item["task"] == rows[e]["instruction"]
        # Since 0.6 LeRobot hands out the number only; the sentence is in our table.
        said = subtasks.iloc[int(item["subtask_index"])].name
        assert said in rows[e]["subtasks"] and item.get("subtask", said) == said
        assert item["episode_index"] == e and item["frame_index"] == k
        assert torch.equal(item["action"], torch.from_numpy(where(e, "action")[k].copy()))
        assert torch.equal(item["observation.state"], torch.from_numpy(where(e, "observation.state")[k].copy()))
        for key in cameras:
            picture = (item[key] * 255).round().permute(1, 2, 0).numpy()
            error = np.abs(picture - where(e, key.split(".")[-1] + ".rgb")[k]).mean()
            worst = max(worst, error)
            assert error < 3, f"{key} at {i}: {error}"
    last = places.index((len(rows) - 1, 0)) + 5
    deltas = {"action": [0, 1 / fps, 2 / fps], cameras[0]: [-1 / fps, 0]}
    ds = LeRobotDataset("longarm/demos", root=ROOT / "v3", delta_timestamps=deltas, **backend)
    item, (e, k) = ds[last], places[last]
    want = torch.from_numpy(where(e, "action")[k : k + 3].copy())
    assert torch.equal(item["action"], want) and item[cameras[0]].shape[0] == 2
    # Beyond the end the last action is repeated and said to be padding.
    end = ds[len(ds) - 1]
    assert end["action_is_pad"].tolist() == [False, True, True]
    loader = torch.utils.data.DataLoader(ds, batch_size=8, num_workers=2, shuffle=True)
    seen = 0
    for n, batch in enumerate(loader):
        assert batch["action"].shape[1:] == (3, want.shape[1])
        assert batch[cameras[1]].shape[1] == 3
        seen += len(batch["index"])
        if n == 10:
            break
    part = LeRobotDataset("longarm/demos", root=ROOT / "v3", episodes=[len(rows) - 1], **backend)
    assert len(part) == rows[-1]["frames"] and part[0]["frame_index"] == 0
    print(
        f"lerobot {lerobot.__version__}, torch {torch.__version__}, {backend.get('video_backend', 'torchcodec')}: {len(places)} frames of "
        f"{len(rows)} episodes, {seen} through a DataLoader with 2 workers, largest mean error {worst:.2f}"
    )


if __name__ == "__main__":
    main()
