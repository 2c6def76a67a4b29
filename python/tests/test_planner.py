"""A planner in Python, asked by an agent over a socket."""

import re
from pathlib import Path

import pytest

import longarm

PAGE = Path(__file__).parents[2] / "docs/guide/agents.md"
TASK = "robomemarena/pour-wine-into-mug-twice"


def agent(folder, server, memory):
    path = folder / "agent.toml"
    path.write_text(
        f'[planner]\nkind = "socket"\nserver = "ws://127.0.0.1:{server.port}"\n'
        'cameras = ["agentview"]\n[actor]\nkind = "oracle"\n[clock]\nevery = 5\n' + memory
    )
    return f"agent:{path}"


class Pours:
    """Says one sentence, and keeps every question and the newest frame."""

    def __init__(self, questions):
        self.questions = questions

    def __call__(self, question):
        self.questions.append(question)
        kept = [frame["step"] for frame in question["recent"][-1:]]
        return {"subtask": "pick up the wine bottle", "keyframes": kept}


def test_a_planner_is_asked_with_pictures_and_memory(tmp_path):
    questions = []
    memory = "[memory]\nrecent = 3\nbank = { merge = 0, cap = 2 }\n"
    with longarm.PlannerServer(factory=lambda: Pours(questions), port=0) as server:
        policy = agent(tmp_path, server, memory)
        results = longarm.evaluate(policy, TASK, episodes=1, max_steps=21)
    (row,) = results.rows
    assert row["outcome"] == "task_failure"
    first, *_, last = questions
    assert first["step"] == 0 and first["episode"] == last["episode"] and first["failed"] is None
    picture = last["pictures"]["agentview"]
    assert picture.ndim == 3 and picture.shape[2] == 3 and picture.any()
    assert [f["step"] for f in last["recent"]] == [18, 19, 20]
    # Two keyframes of those that were named are kept.
    assert len(last["keyframes"]) == 2 and last["keyframes"][0]["pictures"]["agentview"].any()


@pytest.mark.parametrize("answer", [3, {"sentence": "pick up the mug"}, {"subtask": 3}])
def test_what_is_no_answer_is_the_planners_fault(tmp_path, answer):
    with longarm.PlannerServer(lambda question: answer, port=0) as server:
        results = longarm.evaluate(agent(tmp_path, server, ""), TASK, episodes=1, max_steps=3)
    assert results.rows[0]["outcome"] == "policy_error"
    assert "a planner answers with a sentence" in results.rows[0]["reason"]


def test_the_planner_of_the_guide_plans(tmp_path, monkeypatch):
    served = []
    monkeypatch.setattr(longarm, "serve_planner", lambda plan, port: served.append((plan, port)))
    text = PAGE.read_text(encoding="utf-8")
    exec(
        re.search(r"^```python title=planner.py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1], {}
    )
    ((plan, port),) = served
    assert f"ws://localhost:{port}" in text
    with longarm.PlannerServer(plan, port=0) as server:
        results = longarm.evaluate(agent(tmp_path, server, ""), TASK, episodes=1, max_steps=7)
    assert results.rows[0]["outcome"] == "task_failure"
    assert results.rows[0]["agent"]["questions"] == 2
