"""docs/guide/serving.md runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "serving.md"
BLOCK = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_about_serving(tmp_path):
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for kind, file, text in blocks:
        if file:
            (tmp_path / file).write_text(text, encoding="utf-8")
        else:
            assert kind == "console", kind
    commands = [c for kind, _, c in blocks if kind == "console"]
    script = "".join(line.removeprefix("$ ") + "\n" for c in commands for line in c.splitlines())
    # The program and the command of this environment, as programs: a shell's function in the
    # background is a shell of its own, and what that has started outlives it.
    bin = tmp_path / "bin"
    bin.mkdir()
    for name, words in {"python": "", "longarm": " -m longarm"}.items():
        (bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        (bin / name).chmod(0o755)
    paths = os.pathsep.join([str(bin), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": paths, "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "longbench/stack-block" in done.stdout
    assert (tmp_path / "runs" / "mine" / "results.json").is_file()
