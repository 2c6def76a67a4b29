"""Evaluations over many machines. Ray and submitit are imported when they are used, never before."""

from . import ray, submitit

__all__ = ["ray", "submitit"]
