"""Evaluations over many machines. Ray and submitit are imported when they are used, never before."""

from . import ray, submitit
from ._shards import launch

__all__ = ["launch", "ray", "submitit"]
