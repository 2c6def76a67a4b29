"""The examples in the docstrings run."""

import doctest

import pytest

import longarm
from longarm import catalogue, envs, evaluation, recordings, serving, vector


@pytest.mark.parametrize(
    "module", [longarm, catalogue, envs, evaluation, recordings, serving, vector]
)
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0
