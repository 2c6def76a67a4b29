"""A bridge for LeRobot's robots: python lerobot_bridge.py /dev/ttyACM0 (docs/guide/bridge.md)."""

import math
import sys

import numpy as np
from lerobot.robots import Robot, make_robot_from_config

from longarm import bridge


class LeRobotArm(bridge.Arm):
    """A `Robot` whose joints are commanded by position, with a gripper or without."""

    def __init__(self, robot: Robot, limits=None, degrees=False):
        """``limits``: least and greatest radians of each joint; the robot calls these -100 and 100, or their degrees."""
        self.robot, self.name, self.target = robot, robot.name, {}
        positions = [k for k in robot.action_features if k.endswith(".pos")]
        self.joints = [k for k in positions if k != "gripper.pos"]
        self.gripper = "gripper.pos" in positions
        limits = limits or [(-math.pi / 2, math.pi / 2)] * len(self.joints)
        self.limbs = [bridge.Limb("arm", limits)]
        self.radians = np.transpose(limits)
        self.units = np.degrees(self.radians) if degrees else np.array([[-100], [100]])
        features = robot.observation_features.items()
        self.cameras = {k: s[:2] for k, s in features if isinstance(s, tuple) and s[2] == 3}

    def observe(self):
        self.seen = self.robot.get_observation()
        (low, high), (first, last) = self.radians, self.units
        part = (np.array([self.seen[k] for k in self.joints]) - first) / (last - first)
        fields = {"joint_position": low + part * (high - low)}
        if self.gripper:
            fields["gripper_opening"] = [self.seen["gripper.pos"] / 100]
        return fields, {k: self.seen[k] for k in self.cameras}

    def act(self, values):
        (low, high), (first, last) = self.radians, self.units
        part = (np.array(values[: len(self.joints)]) - low) / (high - low)
        goal = first + part * (last - first)
        self.target = dict(zip(self.joints, goal.tolist(), strict=True))
        if self.gripper:
            self.target["gripper.pos"] = 50 * (1 - values[-1])
        self.robot.send_action(self.target)

    def halt(self):
        if self.target:  # The gripper keeps its hold.
            self.robot.send_action(self.target | {k: self.seen[k] for k in self.joints})


if __name__ == "__main__":
    from lerobot.robots.so_follower import SO101FollowerConfig

    robot = make_robot_from_config(SO101FollowerConfig(port=sys.argv[1], use_degrees=True))
    robot.connect()
    bridge.serve_bridge(LeRobotArm(robot, degrees=True))
