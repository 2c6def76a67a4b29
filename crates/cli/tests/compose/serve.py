"""Answers `longarm compose` as a model would, from answers.json, so that they are recorded on a cassette.

The answers were written by hand, good ones and bad ones; no model was asked.

    python3 crates/cli/tests/compose/serve.py &
    longarm compose --batch crates/cli/tests/compose/descriptions.txt --model by-hand \
        --endpoint http://127.0.0.1:8099/v1 --cassette crates/cli/tests/compose/cassette.jsonl --out DIR
"""

import json
import pathlib
from http.server import BaseHTTPRequestHandler, HTTPServer

HERE = pathlib.Path(__file__).parent
ANSWERS = json.loads((HERE / "answers.json").read_text())


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = body["messages"][1]["content"]
        text = parts if isinstance(parts, str) else parts[0]["text"]
        task = next(line[6:] for line in text.splitlines() if line.startswith("Task: "))
        answers = ANSWERS[task]
        answer = answers[min(text.count("\nYour answer "), len(answers) - 1)]
        if not isinstance(answer, str):
            fields = ("step_id", "subtask", "planner", "target")
            steps = [dict(zip(fields, [i + 1, *step])) for i, step in enumerate(answer)]
            answer = json.dumps({"subtasks": steps})
        reply = {"choices": [{"message": {"content": answer}}]}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", 8099), Model).serve_forever()
