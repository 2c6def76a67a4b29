#!/usr/bin/env python3
"""Control steps per second of robosuite's Lift: Panda, its default OSC controller, random actions.

One control step is 20 Hz, that is 25 substeps of 2 ms, as in `longarm bench`. The cases:

  control_steps_per_s            no cameras
  control_steps_per_s_2cam256    agentview + robot0_eye_in_hand, 256x256 RGB, renderer as it comes
  control_steps_per_s_2cam256_plain   the same with shadows and MSAA switched off
  control_steps_per_s_2cam256_bare    the same with reflections off as well

Lift's one light has castshadow="false", so robosuite draws no shadows by default either, but it
draws the scene again for each reflecting floor and table leg: only `bare` is free of extras.

Prints one JSON object {"name", "value", "unit"} per line: steps per second of CPU time over all
threads (so "per core", whatever the load of the machine), and per second of wall time (`_wall`).
Resets and the warm-up (numba compiles there) are not timed.
"""

import argparse
import gc
import json
import logging
import os
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np

CAMERAS = ["agentview", "robot0_eye_in_hand"]
SIZE = 256
CASES = [
    "control_steps_per_s",
    "control_steps_per_s_2cam256",
    "control_steps_per_s_2cam256_plain",
    "control_steps_per_s_2cam256_bare",
]


def simplify(xml, case):
    """Switches effects off in the model: MuJoCo reads `quality` when it makes the rendering context,
    so later would be too late."""
    root = ET.fromstring(xml)
    if case.endswith(("_plain", "_bare")):
        visual = root.find("visual")
        quality = visual.find("quality")
        if quality is None:
            quality = ET.SubElement(visual, "quality")
        quality.set("shadowsize", "0")
        quality.set("offsamples", "0")
    if case.endswith("_bare"):
        for material in root.iter("material"):
            material.set("reflectance", "0")
    return ET.tostring(root, encoding="unicode")


def make(case, seed):
    from robosuite.environments.manipulation.lift import Lift

    class Case(Lift):
        def edit_model_xml(self, xml):
            return simplify(super().edit_model_xml(xml), case)

    cameras = "2cam256" in case
    options = dict(camera_names=CAMERAS, camera_heights=SIZE, camera_widths=SIZE) if cameras else {}
    env = Case(
        robots="Panda",  # brings its default controller: OSC_POSE and a gripper, 7 actions
        control_freq=20,
        has_renderer=False,
        has_offscreen_renderer=cameras,
        use_camera_obs=cameras,
        # A hard reset leaves the old rendering context to the garbage collector, which then deletes
        # OpenGL objects of the new one: pictures turn blank and rendering costs nothing.
        hard_reset=False,
        seed=seed,
        **options,
    )
    env.reset()
    return env


def check(env, case):
    """The case is really what its name says; anything else would be a wrong comparison."""
    before = env.sim.data.time
    low, high = env.action_spec
    rendered = []
    if "2cam256" in case:
        context = env.sim._render_context_offscreen
        original = context.render
        context.render = lambda *a, **k: (rendered.append(1), original(*a, **k))[1]
    observation, *_ = env.step((low + high) / 2)
    substeps = round((env.sim.data.time - before) / env.sim.model.opt.timestep)
    assert (substeps, env.sim.model.opt.timestep) == (25, 0.002), f"{substeps} substeps"
    assert low.shape == (7,), f"{low.shape} actions"
    if "2cam256" not in case:
        return
    context.render = original
    assert len(rendered) == len(CAMERAS), f"{len(rendered)} pictures in one step"
    for camera in CAMERAS:
        picture = observation[f"{camera}_image"]
        assert picture.shape == (SIZE, SIZE, 3) and picture.dtype == np.uint8, camera
        assert picture.std() > 5, f"{camera} is blank"
    # The context reports what OpenGL granted, not what the model asked for.
    got = (context.con.shadowSize > 0, context.con.offSamples > 0, env.sim.model.mat_reflectance.max() > 0)
    plain, bare = case.endswith("_plain"), case.endswith("_bare")
    want = (not plain and not bare, not plain and not bare, not bare)
    assert got == want, f"{case}: shadow map, MSAA, reflections are {got}, not {want}"


def measure(case, seconds, warmup, seed):
    env = make(case, seed)
    check(env, case)
    low, high = env.action_spec
    random = np.random.default_rng(seed)
    for _ in range(warmup):
        env.step(random.uniform(low, high))
    steps, cpu, wall = 0, 0.0, 0.0
    while cpu < seconds:
        if env.done:
            env.reset()
        action = random.uniform(low, high)
        cpu0, wall0 = time.process_time(), time.perf_counter()
        env.step(action)
        cpu += time.process_time() - cpu0
        wall += time.perf_counter() - wall0
        steps += 1
    if env.done:
        env.reset()
    check(env, case)
    env.close()
    del env
    gc.collect()  # while its own OpenGL context is still the current one, see make()
    return steps / cpu, steps / wall


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU seconds per case (4)")
    parser.add_argument("--warmup", type=int, default=10, help="untimed steps per case (10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", choices=CASES, action="append", help="only this case (repeatable)")
    args = parser.parse_args()
    if args.seconds <= 0:
        parser.error("--seconds must be above 0")

    logging.disable(logging.WARNING)  # robosuite greets with warnings
    import mujoco
    import robosuite

    print(
        f"robosuite {robosuite.__version__}, MuJoCo {mujoco.__version__}, numpy {np.__version__}, "
        f"MUJOCO_GL={os.environ.get('MUJOCO_GL', '')}",
        file=sys.stderr,
    )
    for case in args.case or CASES:
        per_cpu, per_wall = measure(case, args.seconds, args.warmup, args.seed)
        for suffix, value in [("", per_cpu), ("_wall", per_wall)]:
            row = {"name": f"robosuite_lift_{case}{suffix}", "value": round(value, 2), "unit": "steps/s"}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
