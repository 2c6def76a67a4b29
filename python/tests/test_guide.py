"""The pages of the guide for Python run as they stand."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import longarm

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \| (\([^|]+\)) \| (\w+) \| (.*) \|$", re.MULTILINE)


def follow(page, folder, monkeypatch):
    """Does what the page says in an empty folder."""
    monkeypatch.chdir(folder)
    space: dict = {"__name__": "guide"}
    for kind, text in BLOCK.findall((DOCS / "guide" / page).read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(text, page, "exec"), space)
        elif kind == "console":
            for line in text.splitlines():
                program, *words = shlex.split(line.removeprefix("$ "))
                assert program == "longarm", line
                subprocess.run([sys.executable, "-m", "longarm", *words], check=True, timeout=300)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_page_about_python(tmp_path, monkeypatch, capsys):
    follow("python.md", tmp_path, monkeypatch)
    said = capsys.readouterr().out
    assert "(128, 128, 3)" in said and "(4, 64, 64, 3)" in said
    assert "KeyError('tool_pos')" in said
    assert "True" in said.splitlines(), "a served policy gives the same states"
    back = re.search(r"and back \[ *([\d.]+) +([\d.]+) *\]", said)
    assert [float(n) for n in back.groups()] == pytest.approx([40.5, 100.5], abs=0.01)


def test_the_page_about_many_machines(tmp_path, monkeypatch, capsys, executor):
    executor("ray")
    executor("submitit")
    follow("scale-out.md", tmp_path, monkeypatch)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "4"
    assert any("failed after 1 try" in line and "resume=True" in line for line in said)
    assert said[-1] == "4 True"


def test_every_observation_is_on_the_page():
    env = longarm.Env(
        "longbench/stack-block",
        cameras=["top"],
        size=(48, 32),
        depth=True,
        segmentation=True,
        normals=True,
        calibration=True,
        point_cloud=64,
        privileged=True,
    )
    bodies = env.fields[-1].shape[0] // 7
    sizes = {"J": 6, "H": 32, "W": 48, "N": 64, "B": bodies}
    rows = ROW.findall((DOCS / "guide" / "python.md").read_text(encoding="utf-8"))
    told = [(k.replace("CAMERA", "top"), eval(s, sizes), t, m) for k, s, t, m in rows]
    assert told == [(f.key, f.shape, f.dtype, f.meaning) for f in env.fields]


def test_the_gripper_goes_where_it_is_told():
    env = longarm.Env("longbench/stack-block", cameras=False)
    for number in (-1.0, -0.17, 0.4):
        env.reset(seed=0)
        for _ in range(30):
            seen, *_ = env.step([0, 0, 0, 0, 0, 0, number])
        assert seen["gripper_opening"][0] == pytest.approx((1 - number) / 2, abs=0.02)
