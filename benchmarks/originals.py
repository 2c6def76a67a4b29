#!/usr/bin/env python3
"""longarm on LIBERO's files beside the original stack, interleaved, by CPU time.

    benchmarks/originals.py --recordings DIR --libero DIR [--standins DIR] [--tasks NAME…]

Takes the tasks, initial states and actions of recordings (the folder that `cargo xtask parity` reads), lays the
stand-ins over a copy of LIBERO's checkout, makes a virtual environment with robosuite 1.4.0 in .venv-originals, and
plays each task in turns here and there: without cameras, and with two of 256 x 256. Prints one row per task and
the medians; exit code 1 where a target is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-originals"
# Without dependencies: robomimic and torch are not needed to step an environment. MuJoCo 3.17 needs two shims
# (libero_original.py); 2.3.7 is LIBERO's own.
PINS = [
    "robosuite==1.4.0", "bddl==1.0.1", "numpy==1.26.4", "scipy==1.17.1", "numba==0.68.1", "llvmlite==0.50.0",
    "gym==0.25.2", "gym-notices==0.1.0", "cloudpickle==3.1.2", "easydict==1.14", "termcolor==3.3.0",
    "opencv-python-headless==4.11.0.86", "pillow==13.0.0", "pyyaml==6.0.3", "future==1.0.0", "networkx==3.6.1",
    "matplotlib==3.11.2", "contourpy==1.3.3", "cycler==0.12.1", "fonttools==4.68.0", "kiwisolver==1.5.1",
    "packaging==26.3", "pyparsing==3.3.3", "python-dateutil==4.0.0", "six==1.17.0", "pyopengl==3.1.10",
    "glfw==2.11.0", "absl-py==2.5.1", "etils==1.15.0", "fsspec==2026.9.0", "typing_extensions==4.16.0", "zipp==4.1.2",
]
TARGETS = {"cameras": 20.0, "bare": 4.0, "raw": 0.75, "reset_ms": 20.0}


def die(text):
    sys.exit(f"originals: {text}")


def python(mujoco):
    pins = PINS + [f"mujoco=={mujoco}"]
    done = VENV / "pins"
    if not done.is_file() or done.read_text() != " ".join(pins):
        print(f"originals: installing robosuite 1.4.0 into {VENV.name} ...", file=sys.stderr)
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", VENV], check=True)
        pip = [sys.executable, "-m", "pip", "--python", VENV / "bin/python", "install", "--quiet"]
        run = subprocess.run(pip + ["--disable-pip-version-check", "--no-deps"] + pins)
        if run.returncode != 0:
            die("pip could not install the pinned packages: is there a network? They are for Python 3.11")
        done.write_text(" ".join(pins))
    return VENV / "bin/python"


def overlaid(libero, standins, to):
    """LIBERO's code copied, its data linked, stand-ins laid over its assets."""
    assets = to / "libero/libero/assets"
    for path in (libero / "libero").rglob("*"):
        if path.is_dir() or ".git" in path.parts:
            continue
        target = to / path.relative_to(libero)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".py":
            shutil.copyfile(path, target)
        else:
            target.symlink_to(path)
    for path in standins.rglob("*") if standins else []:
        if path.is_file():
            target = assets / path.relative_to(standins)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            target.symlink_to(path)


class Theirs:
    def __init__(self, interpreter, folder, recording, task):
        bddl = folder / "libero/libero/bddl_files" / task["suite"] / f"{task['task']}.bddl"
        words = [interpreter, Path(__file__).with_name("libero_original.py"), "--libero", folder]
        words += ["--bddl", bddl, "--recording", recording]
        env = dict(os.environ)
        env.setdefault("MUJOCO_GL", "egl")
        env["PYOPENGL_PLATFORM"] = env["MUJOCO_GL"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env, text=True)

    def ask(self, cameras, steps):
        self.process.stdin.write(json.dumps({"cameras": cameras, "steps": steps}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            die(f"the original ended with code {self.process.wait()}; MUJOCO_GL=osmesa or egl chooses its renderer")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ours(program, assets, task, actions):
    # The recorded actions begin with the state: settling would be steps that the original did not take.
    words = [program, "bench", "--json", "--quick", "--task", task, "--assets", assets, "--actions", actions]
    words += ["-o", "script=none"]
    out = subprocess.run(words, capture_output=True, text=True)
    if out.returncode != 0:
        die(f"{task}: {out.stderr.strip()}")
    return {row["name"]: row["value"] for row in json.loads(out.stdout)["rows"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--libero", type=Path, required=True, help="a checkout of LIBERO")
    parser.add_argument("--standins", type=Path, help="files to be laid over its assets")
    parser.add_argument("--mujoco", default="3.17.0", help="version for the original")
    parser.add_argument("--python", type=Path, help="interpreter with the original's packages, in place of our own venv")
    parser.add_argument("--longarm", type=Path, default=ROOT / "target/release/longarm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100, help="the original's steps without cameras")
    parser.add_argument("--seen", type=int, default=8, help="the original's steps with cameras")
    parser.add_argument("--tasks", nargs="*", default=[])
    args = parser.parse_args()

    interpreter = args.python or python(args.mujoco)
    site = subprocess.run(
        [interpreter, "-c", "import importlib.util as u; print(u.find_spec('robosuite').submodule_search_locations[0])"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
    tasks = json.loads((args.recordings / "VERSIONS.json").read_text())["tasks"]
    rows = []
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        overlaid(args.libero.resolve(), args.standins and args.standins.resolve(), work)
        # Ours takes files from several folders and follows no link out of them.
        folders = [("libero", args.standins), ("libero", args.libero), ("robosuite", Path(site))]
        assets = ",".join(f"{name}={path.resolve()}" for name, path in folders if path)
        print(f"{'task':16} {'ours':>8} {'theirs':>8} {'ratio':>6} | {'2 cameras':>9} {'theirs':>8} {'ratio':>6} | "
              f"{'of mj_step':>10} {'reset ms':>9}")
        for name, task in sorted(tasks.items()):
            recording = args.recordings / name / f"mujoco-{args.mujoco}/recording.json"
            if args.tasks and name not in args.tasks or not recording.is_file():
                continue
            bddl = work / "libero/libero/bddl_files" / task["suite"] / f"{task['task']}.bddl"
            if not bddl.is_file():
                print(f"{name:16} is not a task of LIBERO's: left out")
                continue
            id = f"{task['suite'].replace('_', '-')}/{task['task'].lower().replace('_', '-')}"
            actions = work / f"{name}.json"
            actions.write_text(json.dumps(json.loads(recording.read_text())["actions"]))
            theirs = Theirs(interpreter, work, recording, task)
            theirs.ask(False, 2)
            theirs.ask(True, 1)
            bare, seen, here = [], [], []
            for _ in range(args.rounds):
                bare.append(theirs.ask(False, args.steps)["cpu"])
                here.append(ours(args.longarm, assets, id, actions))
                seen.append(theirs.ask(True, args.seen)["cpu"])
            theirs.end()
            mine = {key: statistics.median(h[key] for h in here) for key in here[0]}
            row = {
                "bare": mine["control_steps_per_s_cpu"] / statistics.median(bare),
                "cameras": mine["control_steps_per_s_2cam256_cpu"] / statistics.median(seen),
                "raw": 1.0 - mine["outside_mj_step_share"],
                "reset_ms": mine["reset_ms"],
            }
            rows.append(row)
            print(f"{name:16} {mine['control_steps_per_s_cpu']:8.1f} {statistics.median(bare):8.1f} {row['bare']:6.2f} | "
                  f"{mine['control_steps_per_s_2cam256_cpu']:9.1f} {statistics.median(seen):8.2f} {row['cameras']:6.1f} | "
                  f"{row['raw']:10.3f} {row['reset_ms']:9.2f}", flush=True)
    if not rows:
        die("no task to measure")
    medians = {key: statistics.median(row[key] for row in rows) for key in TARGETS}
    missed = [k for k, v in medians.items() if (v > TARGETS[k] if k == "reset_ms" else v < TARGETS[k])]
    print("medians: " + ", ".join(f"{k} {v:.3g} (target {TARGETS[k]:g})" for k, v in medians.items()))
    print(f"originals: {len(rows)} tasks, " + (f"missed: {', '.join(missed)}" if missed else "all targets met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
