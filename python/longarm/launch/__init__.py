"""Evaluations, and workers of a leaderboard, over many machines. Ray and submitit are imported when they are used, never before."""

from . import ray, submitit
from ._shards import launch
from ._workers import work

__all__ = ["launch", "ray", "submitit", "work"]
