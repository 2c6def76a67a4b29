"""Depth, segments, normals, camera matrices and point clouds."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import longarm

TASK = "longbench/stack-block"
ALL = {"depth": True, "segmentation": True, "normals": True, "calibration": True, "size": (48, 32)}


def matrix_points(seen, camera):
    """Every pixel of a camera as a point in the world, by NumPy from its depth and matrices."""
    depth = seen["depth"][camera].astype(np.float64)
    k = seen["intrinsics"][camera].astype(np.float64)
    e = seen["extrinsics"][camera].astype(np.float64)
    rows, columns = np.mgrid[: depth.shape[0], : depth.shape[1]]
    pixels = np.stack([columns + 0.5, rows + 0.5, np.ones_like(depth)], -1)
    rays = pixels @ np.linalg.inv(k).T
    points = rays * depth[..., None]
    return (points - e[:3, 3]) @ e[:3, :3]


@pytest.mark.parametrize("obs", ["longarm", "lerobot", "libero"])
def test_gymnasium_checks_all_that_can_be_seen(obs):
    env = longarm.Env(TASK, obs=obs, point_cloud=64, **ALL)
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=0)
    assert seen in env.observation_space
    flat = {}
    for key, value in seen.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        flat |= {f"{key}/{k}".rstrip("/"): v for k, v in inner}
    described = {f.key: (f.shape, f.dtype) for f in env.fields}
    assert described == {k: (v.shape, v.dtype.name) for k, v in flat.items()}
    assert all(f.meaning for f in env.fields)


def test_depth_and_matrices_lead_to_where_objects_are():
    env = longarm.Env(TASK, privileged=True, **ALL | {"size": 128})
    seen, _ = env.reset(seed=0)
    names = env.segments()
    for camera in ("top", "wrist"):
        points = matrix_points(seen, camera)
        ids = seen["segmentation"][camera]
        assert ids.shape == (128, 128) and ids.dtype == np.int32
        assert (seen["depth"][camera] > 0).mean() > 0.9
        table = np.abs(points[..., 2]) < 0.002
        assert table.mean() > 0.2, "much of what is seen is the table, at height 0"
    assert names[-1] == "background" and names[0] == "world"
    robot = matrix_points(seen, "wrist")[seen["segmentation"]["wrist"] == 10_000]
    assert names[10_000].startswith("robot/")
    near = np.abs(robot - seen["tool_pose"][:3]).max(1) < 0.1
    assert near.mean() > 0.5, "the wrist camera sees its own fingers"
    # What is seen of a block is where that block is.
    poses = seen["environment_state"].reshape(-1, 7)
    blocks = {i: n for i, n in names.items() if n.startswith("block_")}
    met = 0
    for pose, segment in zip(poses, blocks, strict=True):
        points = matrix_points(seen, "top")[seen["segmentation"]["top"] == segment]
        if len(points) > 20:
            met += 1
            assert np.abs(np.median(points, 0)[:2] - pose[:2]).max() < 0.02, blocks[segment]
    assert met >= 3


def test_extrinsics_follow_the_hand():
    env = longarm.Env(TASK, cameras=["wrist"], calibration=True, size=16)
    seen, _ = env.reset(seed=0)
    before = seen["extrinsics"]["wrist"].copy()
    for _ in range(10):
        seen, *_ = env.step(np.float32([1, 0, 0, 0, 0, 0, -1]))
    after = seen["extrinsics"]["wrist"]
    where = [-e[:3, :3].T @ e[:3, 3] for e in (before, after)]
    assert 0.02 < where[1][0] - where[0][0] < 0.6
    rotation = after[:3, :3]
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-5)
    assert np.isclose(np.linalg.det(rotation), 1, atol=1e-5)


def test_liberos_pictures_agree_with_liberos_matrices():
    plain = longarm.Env(TASK, **ALL)
    libero = longarm.Env(TASK, obs="libero", **ALL)
    ours, theirs = plain.reset(seed=3)[0], libero.reset(seed=3)[0]
    assert np.array_equal(theirs["agentview_depth"], ours["depth"]["top"][::-1])
    assert np.array_equal(theirs["agentview_segmentation"], ours["segmentation"]["top"][::-1])
    turned = {
        "depth": {"top": theirs["agentview_depth"]},
        "intrinsics": {"top": theirs["agentview_intrinsics"]},
        "extrinsics": {"top": theirs["agentview_extrinsics"]},
    }
    assert np.allclose(matrix_points(turned, "top")[::-1], matrix_points(ours, "top"), atol=1e-5)


def test_a_point_cloud_is_what_the_cameras_see():
    env = longarm.Env(TASK, cameras=["top"], depth=True, calibration=True, size=64, point_cloud=256)
    seen, _ = env.reset(seed=1)
    cloud = seen["point_cloud"]
    assert (cloud["xyz"].shape, cloud["rgb"].shape) == ((256, 3), (256, 3))
    assert cloud["segment"].shape == (256,)
    assert (cloud["rgb"].dtype, cloud["segment"].dtype) == (np.uint8, np.int32)
    points = matrix_points(seen, "top").reshape(-1, 3)
    colours = seen["pixels"]["top"].reshape(-1, 3)
    for xyz, rgb in zip(cloud["xyz"], cloud["rgb"], strict=True):
        gaps = np.abs(points - xyz).max(1)
        assert gaps.min() < 1e-4 and np.array_equal(colours[gaps.argmin()], rgb)
    assert len(np.unique(cloud["xyz"], axis=0)) == 256
    assert set(cloud["segment"]) & set(env.segments())
    # The same without pictures, of all cameras, and again to the bit.
    blind = [
        longarm.Env(TASK, cameras=False, size=64, point_cloud=256).reset(seed=1)[0]
        for _ in range(2)
    ]
    assert "pixels" not in blind[0]
    for key in ("xyz", "rgb", "segment"):
        assert np.array_equal(blind[0]["point_cloud"][key], blind[1]["point_cloud"][key])
    assert not np.array_equal(blind[0]["point_cloud"]["xyz"], cloud["xyz"])


def test_normals_are_of_the_surfaces_seen():
    seen, _ = longarm.Env(TASK, **ALL | {"size": 128}).reset(seed=0)
    normals, depth = seen["normals"]["top"], seen["depth"]["top"]
    length = np.linalg.norm(normals, axis=-1)
    assert np.allclose(length[depth > 0], 1, atol=1e-3) and not length[depth == 0].any()
    points = matrix_points(seen, "top")
    top = (seen["segmentation"]["top"] == 0) & (np.abs(points[..., 2]) < 1e-3)
    assert top.mean() > 0.3 and (normals[top][:, 2] > 0.99).all()


def test_the_table_has_its_share_of_a_point_cloud():
    env = longarm.Env(TASK, size=96, point_cloud=longarm.PointCloud(1024, table=200))
    cloud = env.reset(seed=0)[0]["point_cloud"]
    assert cloud["xyz"].shape == (1024, 3)
    assert (cloud["segment"] == 0).sum() == 200 and (cloud["segment"] >= 0).all()
    none = longarm.PointCloud(64, table=0)
    cloud = longarm.Env(TASK, size=96, point_cloud=none).reset(seed=0)[0]["point_cloud"]
    assert (cloud["segment"] > 0).all()
    # Where only the table is seen, all points are on it.
    flat = longarm.PointCloud(64, low=(-1, -1, -0.01), high=(1, 1, 0.001), table=8)
    cloud = longarm.Env(TASK, size=96, point_cloud=flat).reset(seed=0)[0]["point_cloud"]
    assert cloud["xyz"].any(axis=1).all()


def test_a_point_cloud_keeps_to_its_box():
    low, high = (0.3, -0.1, 0.005), (0.6, 0.1, 0.2)
    box = longarm.PointCloud(128, low, high)
    cloud = longarm.Env(TASK, size=64, point_cloud=box).reset(seed=0)[0]["point_cloud"]
    assert (cloud["xyz"] >= np.float32(low)).all() and (cloud["xyz"] <= np.float32(high)).all()
    nowhere = longarm.PointCloud(8, (10, 10, 10), (11, 11, 11))
    cloud = longarm.Env(TASK, size=16, point_cloud=nowhere).reset(seed=0)[0]["point_cloud"]
    assert not cloud["xyz"].any() and (cloud["segment"] == -1).all()


def test_vector_environments_see_the_same():
    one = longarm.Env(TASK, point_cloud=32, **ALL)
    many = gymnasium.make_vec(f"longarm/{TASK}-v1", num_envs=3, workers=2, point_cloud=32, **ALL)
    alone, _ = one.reset(seed=6)
    together, _ = many.reset(seed=[5, 6, 7])
    for group in ("depth", "segmentation", "intrinsics", "extrinsics", "point_cloud"):
        for key, value in alone[group].items():
            assert np.array_equal(together[group][key][1], value), (group, key)
    assert many.segments()[1] == one.segments()


def test_policies_and_recordings_see_it_too():
    kept = []

    def policy(seen):
        kept.append({k: seen[k]["top"].copy() for k in ("depth", "segmentation", "intrinsics")})
        assert seen["point_cloud"]["xyz"].shape == (len(seen["episode"]), 16, 3)
        return np.zeros((len(seen["episode"]), 7))

    longarm.evaluate(policy, TASK, episodes=1, max_steps=2, point_cloud=16, **ALL)
    assert kept[0]["depth"].shape == (1, 32, 48) and kept[0]["segmentation"].dtype == np.int32
    demo = next(longarm.demonstrations(TASK, 1, cameras=["top"], point_cloud=16, **ALL))
    assert demo.observations["depth"]["top"].shape == (len(demo) + 1, 32, 48)
    assert demo.observations["segmentation"]["top"].dtype == np.int32
    assert demo.observations["point_cloud"]["xyz"].shape == (len(demo) + 1, 16, 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cameras": False, "depth": True}, "depth is what cameras see"),
        ({"cameras": [], "calibration": True}, "calibration is what cameras see"),
        ({"point_cloud": 0}, "1 to 65536"),
        ({"point_cloud": 10**6}, "1 to 65536"),
        ({"point_cloud": True}, "number of points"),
        ({"point_cloud": longarm.PointCloud(8, table=9)}, "cannot have 9 on the table"),
        ({"point_cloud": longarm.PointCloud(8, table=-1)}, "cannot have -1 on the table"),
        ({"point_cloud": longarm.PointCloud(8, low=(0, 0, 0))}, "both corners"),
        ({"point_cloud": longarm.PointCloud(8, (0, 0, 0), (1, 0, 1))}, "along y"),
        ({"cameras": "top"}, "list of names"),
        ({"size": -3}, "number of pixels"),
        ({"size": (64, 64, 3)}, "number of pixels"),
        ({"size": 1.5}, "number of pixels"),
    ],
)
def test_what_cannot_be_seen_is_refused(options, words):
    with pytest.raises(longarm.TaskError, match=words):
        longarm.Env(TASK, **options)
