"""Tasks from files, folders and dicts; the Python of docs/own-tasks.md."""

import json
import re
from pathlib import Path

import pytest

import longarm

PAGE = Path(__file__).parents[2] / "docs" / "own-tasks.md"
BLOCK = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The folder of somebody who followed the page."""
    for _, file, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if file:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_runs(page, capsys):
    space: dict = {}
    for kind, _, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            exec(text, space)
    said = capsys.readouterr().out
    assert "put the salt cellar with the" in said
    assert "True" in said
    assert said.count("'success'") == 4
    assert said.strip().endswith("success")


def test_files_are_checked(page):
    (page / "mine" / "bad.toml").write_text(
        'rig = "panda"\ninstruction = "x"\ngoal = "onn(a, b)"\n'
    )
    with pytest.raises(longarm.TaskError, match=r"bad.toml:3:8: .*did you mean on or on_end\?"):
        longarm.make("mine/bad.toml")
    with pytest.raises(longarm.TaskError, match=r"no suite or task .mien"):
        longarm.make("mien")


def test_a_run_carries_its_tasks(page, tmp_path):
    longarm.evaluate("expert", "mine/salt-on-stand.toml", episodes=1, out=tmp_path / "run")
    assert "objects/salt.xml" in (tmp_path / "run" / "run.toml").read_text()
    rows = json.loads((tmp_path / "run" / "results.json").read_text())
    assert rows["complete"]
