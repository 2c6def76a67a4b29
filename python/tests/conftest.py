import pytest

TASK = "longbench/stack-block"


@pytest.fixture
def task():
    return TASK
