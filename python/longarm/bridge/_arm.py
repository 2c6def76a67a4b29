"""What a lab writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._native import Error


class BridgeError(Error):
    """An arm that the protocol has no words for, or a port that cannot be had."""


@dataclass(frozen=True)
class Limb:
    """A limb: its name and the least and greatest position of each joint (rad)."""

    name: str
    limits: Sequence[tuple[float, float]]


class Arm:
    """What a lab writes: its arm. All methods are called from one thread, one at a time, and a stop waits for the one
    under way: none may wait for a motion to end.

    An action is, limb by limb, the numbers of ``form`` and then the gripper's (-1 open, +1 closed) where there is
    one. ``joint-position``: targets in radians; ``joint-delta``: changes of them; ``ee-delta``: dx dy dz rx ry rz of
    the tool. ``scale`` says how many metres and radians ±1 of a delta is. Actions arrive cut to their ranges.
    """

    name: str = "arm"
    limbs: Sequence[Limb] = ()
    form: str = "joint-position"
    scale: tuple[float, float] | None = None
    gripper: bool = True
    cameras: Mapping[str, tuple[int, int]] = {}
    """Height and width of each camera's pictures."""
    rate: float = 20.0
    """Control steps per second."""
    watchdog: float = 0.5
    """Seconds of silence after which the arm is halted."""
    tasks: Sequence[str] = ()
    """Tasks that it can begin; any where this is empty."""

    def observe(self) -> tuple[Mapping[str, Sequence[float]], Mapping[str, np.ndarray]]:
        """Numbers by name (``joint_position``, ``gripper_opening`` and so on, see ``longarm help bridge``), and the
        picture of every camera: RGB, (height, width, 3), uint8."""
        raise NotImplementedError

    def act(self, values: list[float]) -> None:
        """Set the arm's targets."""
        raise NotImplementedError

    def halt(self) -> None:
        """Stand still where it is. Nothing more is acted after this, until the console says so."""

    def begin(self, task: str, seed: int, instruction: str) -> None:
        """Do what the arm does before an episode."""

    def end(self) -> str:
        """Do what it does after one; returns what is worth noting."""
        return ""


def ranges(arm: Arm) -> tuple[list[float], list[float]]:
    """The least and the greatest of every number of an action; an arm that cannot be is refused."""
    if arm.form not in ("ee-delta", "joint-position", "joint-delta"):
        raise BridgeError(
            f"{arm.name}: no form of actions {arm.form!r}; there are ee-delta, joint-position, joint-delta"
        )
    if not arm.limbs:
        raise BridgeError(f"{arm.name} has no limbs: say its joints' limits in `limbs`")
    if not 0 < arm.rate <= 1000 or not 0.05 <= arm.watchdog <= 10:
        raise BridgeError(
            f"{arm.name}: rate {arm.rate} and watchdog {arm.watchdog} must be at most 1000 per second and "
            "0.05 to 10 seconds"
        )
    pairs: list[tuple[float, float]] = []
    for limb in arm.limbs:
        if arm.form == "joint-position":
            pairs += limb.limits
        else:
            pairs += [(-1.0, 1.0)] * (6 if arm.form == "ee-delta" else len(limb.limits))
        pairs += [(-1.0, 1.0)] * arm.gripper
    if not all(low <= high for low, high in pairs):
        raise BridgeError(f"{arm.name}: limits are pairs of least and greatest, not {pairs}")
    return [low for low, _ in pairs], [high for _, high in pairs]
