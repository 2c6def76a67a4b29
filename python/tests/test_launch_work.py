"""Workers of a leaderboard as jobs: executors that lose work, and a program that writes down what it was asked."""

import sys

import pytest

import longarm

PROGRAM = """#!{python}
import os, sys
with open({log!r}, "a") as log:
    log.write(repr((sys.argv[1:], os.environ.get("LONGARM_TOKEN"))) + "\\n")
if os.path.exists({broken!r}):
    print("the server is away", file=sys.stderr)
    sys.exit(2)
"""


@pytest.fixture
def program(tmp_path):
    path, log = tmp_path / "longarm", tmp_path / "log"
    words = {"python": sys.executable, "log": str(log), "broken": str(tmp_path / "broken")}
    path.write_text(PROGRAM.format(**words))
    path.chmod(0o755)
    return str(path), log, tmp_path / "broken"


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_workers_are_started_and_started_again(name, executor, program, monkeypatch):
    path, log, _ = program
    # The second of the first round is lost.
    executor(name, lose=[1])
    monkeypatch.setenv("LONGARM_TOKEN", "longarm_secret")
    work = getattr(longarm.launch, name).work
    work("https://board.example.org", jobs=3, threads=2, program=path, ca="ca.pem")
    lines = [eval(line) for line in log.read_text().splitlines()]
    asked = ["work", "--server", "https://board.example.org", "--workers", "2", "--ca", "ca.pem"]
    # Never on a command line, where everybody on the machine reads it.
    assert lines == [([*asked, "--until-idle"], "longarm_secret")] * 3


@pytest.mark.parametrize("name", ["ray", "submitit"])
def test_what_stays_broken_is_said(name, executor, program):
    path, log, broken = program
    executor(name)
    broken.touch()
    work = getattr(longarm.launch, name).work
    with pytest.raises(
        longarm.RunError, match=r"2 of 2 workers failed after 2 tries.*server is away"
    ):
        work("http://localhost:1", jobs=2, retries=1, program=path, token_file="token")
    assert len(log.read_text().splitlines()) == 4 and "--token-file" in log.read_text()
    with pytest.raises(longarm.RunError, match="name the program by program="):
        work("http://localhost:1", jobs=1, retries=0, program=path + "-not")


def test_what_is_wrong_is_found_before_any_work(executor):
    ray = executor("ray")
    work = longarm.launch.ray.work
    for server, options, words in [
        ("board.example.org", {}, "is not the address"),
        ("http://b", {"jobs": 0}, "at least one"),
        ("http://b", {"retries": -1}, "0 or more"),
    ]:
        with pytest.raises(longarm.RunError, match=words):
            work(server, **options)
    assert ray.started == 0
