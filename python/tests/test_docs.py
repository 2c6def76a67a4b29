"""The examples in the docstrings run."""

import doctest

import pytest

import longarm
from longarm import envs, evaluation, recordings, serving, tasks


@pytest.mark.parametrize("module", [longarm, envs, evaluation, recordings, serving, tasks])
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0
