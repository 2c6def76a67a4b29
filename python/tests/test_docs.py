"""The examples in the docstrings run, and the stub is complete."""

import ast
import doctest
from pathlib import Path

import pytest

import longarm
from longarm import _native, bridge, catalogue, envs, evaluation, recordings, serving, vector


@pytest.mark.parametrize(
    "module", [longarm, bridge, catalogue, envs, evaluation, recordings, serving, vector]
)
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


def test_the_stub_names_what_the_native_module_has():
    stub = ast.parse(Path(_native.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))

    def named(body):
        values = {n.target.id for n in body if isinstance(n, ast.AnnAssign)}
        defined = (ast.FunctionDef, ast.ClassDef)
        return values | {n.name for n in body if isinstance(n, defined)} - {"__new__"}

    def public(value):
        return {name for name in dir(value) if not name.startswith("_")}

    assert named(stub.body) == public(_native)
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and not node.bases:
            assert named(node.body) == public(getattr(_native, node.name)), node.name
