"""The examples in the docstrings run."""

import doctest

import pytest

import longarm
from longarm import catalogue, envs, evaluation, recordings, serving


@pytest.mark.parametrize("module", [longarm, catalogue, envs, evaluation, recordings, serving])
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0
