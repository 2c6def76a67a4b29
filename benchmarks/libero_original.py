#!/usr/bin/env python3
"""Control steps per CPU second of the original LIBERO stack on one task; a worker of originals.py.

Runs in a virtual environment with robosuite 1.4.0 (see originals.py). Reads one JSON object per line on
standard input, {"cameras": bool, "steps": N}, and answers each with one: steps per CPU second over all
threads, steps per second of wall time, seconds of CPU of the reset before. The environment is made for
the first question of each kind and kept.
"""

import argparse
import json
import logging
import os
import pathlib
import sys
import tempfile
import time
import types

CAMERAS = ["agentview", "robot0_eye_in_hand"]
SIZE = 256


def shims():
    """Let robosuite 1.4.0 run on MuJoCo 3.10 and newer; no arithmetic changes."""
    import mujoco
    from robosuite.utils import binding_utils

    if hasattr(mujoco.MjData, "qM"):
        return
    names = ["mjJNT_FREE", "mjJNT_BALL", "mjJNT_SLIDE", "mjJNT_HINGE"]
    numbers = {name: int(getattr(mujoco.mjtJoint, name)) for name in names}
    mujoco.mjtJoint = types.SimpleNamespace(**numbers)
    full = mujoco.mj_fullM
    mujoco.mj_fullM = lambda model, out, data: full(model, data, out)
    binding_utils.MjData.qM = property(lambda self: self._data)


class Original:
    def __init__(self, args):
        self.args = args
        self.envs = {}
        recording = json.loads(open(args.recording).read())
        self.actions = recording["actions"]
        self.state = recording["init_state"]

    def env(self, cameras):
        import numpy as np
        from libero.libero.envs.env_wrapper import ControlEnv

        if cameras not in self.envs:
            options = dict(camera_names=CAMERAS, camera_heights=SIZE, camera_widths=SIZE)
            env = ControlEnv(
                bddl_file_name=self.args.bddl,
                use_camera_obs=cameras,
                has_offscreen_renderer=cameras,
                # After a hard reset pictures may turn blank: the old context deletes what the new one made.
                **(options if cameras else {}),
            )
            self.envs[cameras] = env
        env = self.envs[cameras]
        env.seed(0)
        begun = time.process_time()
        if cameras not in getattr(self, "begun", set()) or not cameras:
            env.reset()
            self.begun = getattr(self, "begun", set()) | {cameras}
        env.set_init_state(np.asarray(self.state, dtype=float))
        return env, time.process_time() - begun

    def play(self, cameras, steps, warm):
        env, reset = self.env(cameras)
        actions = [self.actions[i % len(self.actions)] for i in range(warm + steps)]
        for action in actions[:warm]:
            obs, *_ = env.step(action)
        cpu, wall = time.process_time(), time.perf_counter()
        for action in actions[warm:]:
            obs, *_ = env.step(action)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if cameras:
            for camera in CAMERAS:
                assert obs[f"{camera}_image"].std() > 5, f"{camera} is blank"
        return {"cpu": steps / cpu, "wall": steps / wall, "reset_s": reset}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libero", required=True, help="LIBERO's checkout, stand-ins laid over")
    parser.add_argument("--bddl", required=True)
    parser.add_argument("--recording", required=True)
    args = parser.parse_args()
    sys.path.insert(0, args.libero)
    logging.disable(logging.WARNING)
    # Its import asks a question where there is no configuration.
    settings = tempfile.TemporaryDirectory()
    (pathlib.Path(settings.name) / "config.yaml").write_text("{}")
    os.environ["LIBERO_CONFIG_PATH"] = settings.name
    shims()
    original = Original(args)
    for line in sys.stdin:
        ask = json.loads(line)
        print(json.dumps(original.play(ask["cameras"], ask["steps"], ask.get("warm", 2))), flush=True)


if __name__ == "__main__":
    main()
