#!/usr/bin/env python3
"""longarm's VectorEnv beside the engine's own rate and beside robosuite's Lift in Gymnasium.

    python benchmarks/vector_env.py --peer .venv-peers/bin/python     (cargo xtask peers makes that)

16 environments throughout, all cores of this process, wall time. Prints, and as JSON with --json:

  rust_batched            the expert's actions replayed by the engine's own threads, no cameras
  vector_env              the same actions through gymnasium.make_vec, no cameras
  rust_2cam128            steps and both cameras at 128x128 RGB in a loop of the engine's own
  vector_env_2cam128      the same through gymnasium.make_vec
  python_share_2cam128    what Python reaches of that, the median over short turns of both
  robosuite_async_2cam128 gymnasium.vector.AsyncVectorEnv of robosuite's Lift, same cameras

Cases are interleaved over --rounds; medians are printed, ratios as medians over rounds.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from operator import truediv

import numpy as np

ENVS, SIZE, TURN = 16, 128, 60
TASK = "longbench/stack-block"
BOTH = ("rust_2cam128", "vector_env_2cam128", "python_share_2cam128")


def rate(step, seconds, per_call):
    for _ in range(3):
        step()
    calls, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        step()
        calls += 1
    return calls * per_call / spent


class Ours:
    """The expert's actions of one episode, over and over."""

    def __init__(self):
        import gymnasium

        import longarm
        from longarm.engine import Engine, look

        self.tape = next(longarm.demonstrations(TASK, 1, seed=0)).actions
        self.engine = Engine(longarm.tasks(TASK), ENVS, look=look({"cameras": False}))
        self.looking = Engine(longarm.tasks(TASK), ENVS, look=look({"size": SIZE}))
        self.blind = gymnasium.make_vec(f"longarm/{TASK}-v1", num_envs=ENVS, cameras=False)
        self.seeing = gymnasium.make_vec(f"longarm/{TASK}-v1", num_envs=ENVS, size=SIZE)
        self.engine.native.play([(0, 0, self.tape)] * ENVS)

    def rust_batched(self, seconds):
        steps, started = 0, time.perf_counter()
        while (spent := time.perf_counter() - started) < seconds:
            self.engine.native.play([(0, 0, self.tape)] * ENVS)
            steps += ENVS * len(self.tape)
        return steps / spent

    def through(self, envs, seconds, most):
        """Whole episodes, so that all of the motion is in the measurement; resets are timed in both."""
        steps, started = 0, time.perf_counter()
        while (spent := time.perf_counter() - started) < seconds:
            envs.reset(seed=[0] * ENVS)
            for action in self.tape[:most]:
                envs.step(np.tile(action, (ENVS, 1)))
                steps += ENVS
        return steps / spent

    def vector_env(self, seconds):
        return self.through(self.blind, seconds, len(self.tape))

    def both_2cam128(self, seconds):
        """Env steps per second in Rust and through Python, in turns, and the share of each turn."""
        tape = self.tape[:TURN]
        tiled = [np.tile(action, (ENVS, 1)) for action in tape]
        rust, python = [], []
        started = time.perf_counter()
        while not rust or time.perf_counter() - started < 2 * seconds:
            rust.append(self.looking.native.paced(0, 0, tape))
            self.seeing.reset(seed=[0] * ENVS)
            begun = time.perf_counter()
            for action in tiled:
                self.seeing.step(action)
            python.append(time.perf_counter() - begun)
        rates = [[ENVS * len(tape) / t for t in times] for times in (rust, python)]
        return (*map(statistics.median, rates), statistics.median(map(truediv, rust, python)))


def peer(seconds, rounds):
    """Runs in robosuite's own interpreter; a line of JSON per round, when told to."""
    import gymnasium
    import robosuite

    cameras = ["agentview", "robot0_eye_in_hand"]

    class Lift(gymnasium.Env):
        def __init__(self):
            self.env = robosuite.make(
                "Lift",
                robots="Panda",
                control_freq=20,
                has_renderer=False,
                has_offscreen_renderer=True,
                use_camera_obs=True,
                camera_names=cameras,
                camera_heights=SIZE,
                camera_widths=SIZE,
                hard_reset=False,
                ignore_done=True,
            )
            low, high = self.env.action_spec
            self.action_space = gymnasium.spaces.Box(
                low.astype(np.float32), high.astype(np.float32)
            )
            box = gymnasium.spaces.Box(0, 255, (SIZE, SIZE, 3), np.uint8)
            self.observation_space = gymnasium.spaces.Dict({c: box for c in cameras})

        def pictures(self, seen):
            return {c: seen[f"{c}_image"] for c in cameras}

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return self.pictures(self.env.reset()), {}

        def step(self, action):
            seen, reward, _, _ = self.env.step(action)
            return self.pictures(seen), float(reward), False, False, {}

    # Forked after the parent's own context has begun its drawing threads, OSMesa hangs.
    envs = gymnasium.vector.AsyncVectorEnv([Lift] * ENVS, context="spawn")
    seen, _ = envs.reset(seed=0)
    assert all(seen[c].std() > 5 for c in cameras), "blank pictures"
    envs.action_space.seed(0)
    print(json.dumps({"ready": robosuite.__version__}), flush=True)
    for _ in range(rounds):
        sys.stdin.readline()
        print(
            json.dumps(rate(lambda: envs.step(envs.action_space.sample()), seconds, ENVS)),
            flush=True,
        )
    envs.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--peer", metavar="PYTHON", help="an interpreter that has robosuite and gymnasium"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0, help="per case and round (8)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.as_peer:
        peer(args.seconds, args.rounds)
        return

    child = None
    if args.peer:
        words = [
            args.peer,
            __file__,
            "--as-peer",
            f"--rounds={args.rounds}",
            f"--seconds={args.seconds}",
        ]
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        json.loads(child.stdout.readline())
    ours = Ours()
    names = ["rust_batched", "vector_env"]
    found = {n: [] for n in [*names, *BOTH]}
    for _ in range(args.rounds):
        for name in names:
            found[name].append(getattr(ours, name)(args.seconds))
        for name, value in zip(BOTH, ours.both_2cam128(args.seconds), strict=True):
            found[name].append(value)
        if child:
            child.stdin.write("go\n")
            child.stdin.flush()
            found.setdefault("robosuite_async_2cam128", []).append(
                json.loads(child.stdout.readline())
            )
    if child:
        child.wait()
    middle = {n: statistics.median(v) for n, v in found.items()}

    def ratio(ours, other):
        """Round by round, as the machine's speed changes from minute to minute."""
        return [a / b for a, b in zip(found[ours], found[other], strict=True)]

    shares = {"vector_env_share": ratio("vector_env", "rust_batched")}
    if child:
        shares["ratio_2cam128"] = ratio("vector_env_2cam128", "robosuite_async_2cam128")
    middle |= {n: statistics.median(v) for n, v in shares.items()}
    if args.json:
        print(json.dumps(middle))
        return
    for name, value in middle.items():
        unit = "" if name in shares or "share" in name else "env steps/s"
        seen = found.get(name) or shares[name]
        spread = f"({min(seen):.4g}–{max(seen):.4g})"
        print(f"{name:26} {value:10.2f} {unit:12} {spread}")


if __name__ == "__main__":
    main()
