"""Robots of LeRobot's own that have no motors, behind the example's bridge: lerobot_arms.py mock|so101 EXAMPLES [SOURCE].

``mock`` is the robot of LeRobot's own tests, found in its SOURCE. ``so101`` is its SO-101 follower, the motors' bus
replaced as LeRobot's own tests do.
"""

import pathlib
import sys
import tempfile
from unittest.mock import MagicMock, patch

from longarm import bridge

which, examples, *source = sys.argv[1:]
sys.path[:0] = [examples, *source]
folder = pathlib.Path(tempfile.mkdtemp())


def mock():
    from tests.mocks.mock_robot import MockRobot, MockRobotConfig

    class Follows(MockRobot):
        """Sees where it was told to be."""

        def send_action(self, action):
            sent = super().send_action(action)
            self.config.static_values = [sent[k] for k in self.action_features]
            return sent

    still = {"n_motors": 3, "random_values": False, "static_values": [0.0, 50.0, -50.0]}
    return Follows(MockRobotConfig(id="mock", calibration_dir=folder, **still))


def motors(*, motors, **_):
    bus = MagicMock(name="FeetechMotorsBus", is_connected=False, is_calibrated=True, motors=motors)
    where = dict.fromkeys(motors, 0.0)

    def connect(*_):
        bus.is_connected = True

    bus.connect.side_effect = connect
    bus.sync_read.side_effect = lambda *_, **__: dict(where)
    bus.sync_write.side_effect = lambda _, goals, **__: where.update(goals)
    return bus


def so101():
    from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig

    config = {"id": "mock", "calibration_dir": folder, "use_degrees": True}
    with patch("lerobot.robots.so_follower.so_follower.FeetechMotorsBus", side_effect=motors):
        return SO101Follower(SO101FollowerConfig(port="/dev/null", **config))


from lerobot_bridge import LeRobotArm  # noqa: E402

robot = {"mock": mock, "so101": so101}[which]()
robot.connect()
bridge.serve_bridge(LeRobotArm(robot, degrees=which == "so101"), port=0)
