"""The command that the package brings: the same program as Cargo's, signals and pipes too."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import longarm

COMMAND = [sys.executable, "-m", "longarm"]


def run(*words, **options):
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, timeout=120, check=False, **options
    )


def start(*words):
    return subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_it_is_the_program():
    assert run("--version").stdout == f"longarm {longarm.__version__}\n"
    usage = run("--help").stdout
    assert "Usage: longarm [OPTIONS] <COMMAND>" in usage
    ids = {t["id"] for t in json.loads(run("list", "longbench", "--json").stdout)}
    assert ids == {t.id for t in longarm.tasks("longbench")}


def test_exit_codes_and_streams():
    wrong = run("run", "longbench/nothing")
    assert wrong.returncode == 2 and not wrong.stdout
    assert wrong.stderr.startswith("error: ") and "Traceback" not in wrong.stderr
    usage = run("run", "--no-such-flag")
    assert usage.returncode == 2 and "--no-such-flag" in usage.stderr


def test_a_closed_pipe_is_not_an_error():
    read, write = os.pipe()
    os.close(read)
    listed = subprocess.run(
        [*COMMAND, "list"], stdout=write, stderr=subprocess.PIPE, timeout=120, check=False
    )
    os.close(write)
    assert (listed.returncode, listed.stderr) == (0, b"")


def wait_for(stream, words):
    for line in stream:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


def test_interrupt_ends_an_evaluation_in_order(tmp_path):
    out = tmp_path / "run"
    words = ["eval", "longbench/stack-block", "--policy", "idle", "--episodes", "9000"]
    with start(*words, "--workers", "1", "--out", str(out)) as child:
        rows = out / "episodes.jsonl"
        while child.poll() is None and not (rows.exists() and rows.stat().st_size):
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        wait_for(child.stderr, "stopping after the episodes under way")
        child.communicate(timeout=120)
    assert child.returncode == 130
    assert longarm.read_results(out).rows


def test_interrupt_ends_a_command_that_waits_for_a_server():
    with socket.create_server(("127.0.0.1", 0)) as server:
        policy = f"openpi:127.0.0.1:{server.getsockname()[1]}"
        with start("run", "longbench/stack-block", "--policy", policy) as child:
            connection, _ = server.accept()  # and says nothing
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=20)
            connection.close()
    assert child.returncode in (-signal.SIGINT, 130) and "Traceback" not in said
