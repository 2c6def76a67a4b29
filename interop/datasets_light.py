"""Reads datasets that longarm wrote with the packages their users read them with.

Usage: python datasets_light.py DIR [FORMAT…], where DIR holds one recording in several formats: `v3`, `v21`,
`hdf5`, `subtasks`, `jsonl` (all are read unless some are named), and `npy`, whose arrays are what the cameras
saw before anything was encoded.
"""

import json
import sys
from pathlib import Path

import av
import datasets
import h5py
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from PIL import Image

ROOT = Path(sys.argv[1])
# Mean error in grey levels, and the largest share of values that are off by more than 24.
MEAN_ERROR, OUTLIERS = 3.0, 0.02


def episodes():
    rows = (ROOT / "v3/longarm/episodes.jsonl").read_text().splitlines()
    return [json.loads(r) for r in rows]


def truth(row, name):
    return np.load(ROOT / "npy/arrays" / row["task"] / str(row["seed"]) / f"{name}.npy")


def decode(path, fps):
    """All frames of a video; their times must be those of their places."""
    frames = []
    with av.open(str(path)) as video:
        stream = video.streams.video[0]
        assert stream.codec_context.name == "h264" and stream.average_rate == fps, path
        for i, frame in enumerate(video.decode(stream)):
            assert frame.pts * frame.time_base * fps == i, f"{path}: frame {i} at {frame.time}"
            frames.append(frame.to_ndarray(format="rgb24"))
    return np.stack(frames)


def close(got, want, what):
    assert got.shape == want.shape, f"{what}: {got.shape} is not {want.shape}"
    error = np.abs(got.astype(int) - want)
    assert error.mean() < MEAN_ERROR, f"{what}: mean error {error.mean():.2f}"
    assert (error > 24).mean() < OUTLIERS, f"{what}: {(error > 24).mean():.2%} far off"
    return error.mean()


def hf_features(info):
    """As lerobot makes them of info.json."""
    out = {}
    for name, f in info["features"].items():
        if f["dtype"] == "video":
            continue
        value = datasets.Value(f["dtype"])
        out[name] = value if f["shape"] == [1] else datasets.Sequence(value, length=f["shape"][0])
    return datasets.Features(out)


def v3():
    root, rows = ROOT / "v3", episodes()
    info = json.loads((root / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["total_episodes"] == len(rows)
    tasks = pd.read_parquet(root / "meta/tasks.parquet")
    subtasks = pd.read_parquet(root / "meta/subtasks.parquet")
    table = pq.read_table(root / "meta/episodes/chunk-000/file-000.parquet")
    meta = table.to_pandas()
    files = sorted(str(p) for p in root.glob("data/*/*.parquet"))
    hf = datasets.Dataset.from_parquet(files, features=hf_features(info), cache_dir=str(ROOT / "hf"))
    frame = hf.to_pandas()
    assert len(frame) == info["total_frames"]
    assert (frame["index"] == np.arange(len(frame))).all()
    videos = {k: f for k, f in info["features"].items() if f["dtype"] == "video"}
    cache, worst = {}, 0.0
    for i, row in enumerate(rows):
        m = meta.iloc[i]
        assert m["episode_index"] == i and m["length"] == row["frames"]
        part = frame[m["dataset_from_index"] : m["dataset_to_index"]]
        assert (part["episode_index"] == i).all()
        assert tasks.iloc[part["task_index"].iloc[0]].name == row["instruction"] == m["tasks"][0]
        np.testing.assert_array_equal(np.stack(part["action"]), truth(row, "action"))
        np.testing.assert_array_equal(np.stack(part["observation.state"]), truth(row, "observation.state"))
        np.testing.assert_allclose(part["timestamp"], np.arange(len(part)) / info["fps"], atol=1e-6)
        assert part["next.success"].iloc[-1] and part["next.done"].sum() == 1
        assert abs(part["next.reward"].sum() - 1) < 1e-5
        dense = part["next.reward_dense"].to_numpy()
        assert dense.dtype == np.float32 and (dense >= 0).all() and dense[-1] == 1 > dense[:-1].max()
        said = [subtasks.iloc[k].name for k in part["subtask_index"]]
        for start, which in row["subtask_changes"]:
            assert said[start] == row["subtasks"][which]
        marked = np.flatnonzero(part["is_keyframe"])
        assert list(marked) == [k["frame"] for k in row["keyframes"]]
        for key in videos:
            at = [int(m[f"videos/{key}/{n}_index"]) for n in ("chunk", "file")]
            path = root / info["video_path"].format(video_key=key, chunk_index=at[0], file_index=at[1])
            if path not in cache:
                cache[path] = decode(path, info["fps"])
            start = m[f"videos/{key}/from_timestamp"] * info["fps"]
            assert start == round(start)
            got = cache[path][int(start) : int(start) + row["frames"]]
            worst = max(worst, close(got, truth(row, key.split(".")[-1] + ".rgb"), f"{key} of episode {i}"))
    stats = json.loads((root / "meta/stats.json").read_text())
    for name in ("action", "observation.state"):
        values = np.stack(frame[name])
        for q in (1, 10, 50, 90, 99):
            want = np.quantile(values, q / 100, axis=0)
            np.testing.assert_allclose(stats[name][f"q{q:02}"], want, atol=1e-6)
        np.testing.assert_allclose(stats[name]["std"], values.std(axis=0), atol=1e-5)
    for key in videos:
        assert np.shape(stats[key]["mean"]) == (3, 1, 1)
        assert np.shape(table[f"stats/{key}/mean"].to_pylist()) == (len(rows), 3, 1, 1)
    print(f"v3.0: {len(rows)} episodes, {len(frame)} frames, largest mean error of a video {worst:.2f}")


def v21():
    root, rows = ROOT / "v21", episodes()
    info = json.loads((root / "meta/info.json").read_text())
    assert info["codebase_version"] == "v2.1"
    lines = lambda name: [json.loads(l) for l in (root / "meta" / name).read_text().splitlines()]
    tasks = {t["task_index"]: t["task"] for t in lines("tasks.jsonl")}
    assert len(lines("episodes.jsonl")) == len(lines("episodes_stats.jsonl")) == len(rows)
    for i, (row, m) in enumerate(zip(rows, lines("episodes.jsonl"))):
        place = {"episode_chunk": 0, "episode_index": i}
        part = pd.read_parquet(root / info["data_path"].format(**place))
        assert len(part) == m["length"] and tasks[part["task_index"].iloc[0]] == m["tasks"][0]
        np.testing.assert_array_equal(np.stack(part["actions"]), truth(row, "action"))
        assert np.stack(part["state"]).shape == (len(part), 8)
        for key, camera in (("image", "top"), ("wrist_image", "wrist")):
            got = decode(root / info["video_path"].format(video_key=key, **place), info["fps"])
            close(got, truth(row, camera + ".rgb")[:, :, ::-1], f"{key} of episode {i}")
    print(f"v2.1: {len(rows)} episodes")


def hdf5():
    files = sorted((ROOT / "hdf5").glob("*.hdf5"))
    rows, seen = episodes(), 0
    for path in files:
        with h5py.File(path) as f:
            data = f["data"]
            args = json.loads(data.attrs["env_args"])
            assert data.attrs["num_demos"] == len(data) and args["type"] == 1
            assert data.attrs["macros_image_convention"] == "opengl"
            assert json.loads(data.attrs["problem_info"])["language_instruction"]
            for k in range(len(data)):
                demo = data[f"demo_{k}"]
                row = next(r for r in rows if r["task"] == args["env_name"] and r["seed"] == demo.attrs["seed"])
                n = demo.attrs["num_samples"]
                assert n == row["frames"] and demo.attrs["model_file"].startswith("<mujoco")
                np.testing.assert_array_equal(demo["actions"][:].astype(np.float32), truth(row, "action"))
                np.testing.assert_array_equal(demo["states"][0], demo.attrs["init_state"])
                assert demo["robot_states"].shape == (n, 9) and demo["obs/ee_states"].shape == (n, 6)
                assert demo["dones"][-1] == 1 and demo["rewards"].dtype == np.uint8
                dense = demo["rewards_dense"][:]
                assert dense.shape == (n,) and dense[-1] == 1 > dense[:-1].max() and (dense >= 0).all()
                for key, camera in (("agentview_rgb", "top"), ("eye_in_hand_rgb", "wrist")):
                    got = demo["obs"][key][:]
                    np.testing.assert_array_equal(got[:, ::-1], truth(row, camera + ".rgb"))
                seen += 1
            assert data.attrs["total"] == sum(d.attrs["num_samples"] for d in data.values())
    assert seen == len(rows)
    print(f"hdf5: {len(files)} files, {seen} demonstrations")


def subtasks():
    """Files of one seed, joined by their order, are the episode."""
    root, rows, count = ROOT / "subtasks", episodes(), 0
    for row in rows:
        parts = []
        for path in root.glob(f"*/*_dataset/subtask_data/*_seed{row['seed']}_task*.hdf5"):
            with h5py.File(path) as f:
                demo = f["data/demo_0"]
                if demo.attrs["task"] != row["task"]:
                    continue
                order = int(path.stem.rsplit("_", 3)[1])
                assert order == demo.attrs["order"], path
                words = "".join(c if c.isalnum() else " " for c in demo.attrs["subtask"].lower()).split()
                assert path.stem.startswith("_".join(words) + f"_{order}_seed"), path
                n = demo.attrs["num_samples"]
                assert demo["obs/ee_states"].shape == (n, 6) and demo["obs/joint_states"].shape[0] == n
                pictures = demo["obs/agentview_rgb"][:]
                parts.append((order, demo["actions"][:], demo["keyframes"][:], pictures))
        parts.sort(key=lambda p: p[0])
        assert [p[0] for p in parts] == list(range(len(parts))) and parts, row["task"]
        joined = [np.concatenate([p[k] for p in parts]) for k in (1, 2, 3)]
        np.testing.assert_array_equal(joined[0].astype(np.float32), truth(row, "action"))
        np.testing.assert_array_equal(joined[2][:, ::-1], truth(row, "top.rgb"))
        assert np.flatnonzero(joined[1]).tolist() == [k["frame"] for k in row["keyframes"]]
        count += len(parts)
    print(f"hdf5-subtasks: {count} files of {len(rows)} episodes")


def jsonl():
    """As chat trainers read it (ms-swift among them): JSON lines through `datasets`, one picture for each
    `<image>`, paths relative to the dataset, roles in turn, a label that parses."""
    root = ROOT / "jsonl"
    files = sorted(str(p) for p in (root / "rows").rglob("*.jsonl"))
    data = datasets.load_dataset("json", data_files=files, split="train", cache_dir=str(ROOT / "cache"))
    keyframes = 0
    for line in data:
        roles = [m["role"] for m in line["messages"]]
        assert roles == ["system", "user", "assistant"], roles
        places = sum(m["content"].count("<image>") for m in line["messages"])
        assert places == len(line["images"]) > 0, line["qid"]
        for name in line["images"]:
            with Image.open(root / name) as picture:
                picture.load()
                assert picture.mode == "RGB" and list(picture.size) == line["metadata"]["image_size"]
        label = json.loads(line["messages"][2]["content"])
        assert set(label) == {"current_primitive", "keyframe_positions"} and label["current_primitive"]
        assert all(1 <= k <= 5 for k in label["keyframe_positions"])
        keyframes += len(label["keyframe_positions"])
    assert keyframes > 0
    print(f"jsonl: {len(data)} lines, {keyframes} keyframes")


READERS = {"v3": v3, "v21": v21, "hdf5": hdf5, "subtasks": subtasks, "jsonl": jsonl}
for name in sys.argv[2:] or READERS:
    READERS[name]()
