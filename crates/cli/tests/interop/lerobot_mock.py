"""LeRobot's SO-101 follower with its motors' bus replaced, as LeRobot's own tests do, behind the example's bridge."""

import asyncio
import pathlib
import sys
import tempfile
from unittest.mock import MagicMock, patch

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "python/examples"))
import lerobot_bridge


def motors(*, motors, **_):
    bus = MagicMock(name="FeetechMotorsBus", is_connected=False, is_calibrated=True, motors=motors)
    where = {name: 0.0 for name in motors}

    def connect(*_):
        bus.is_connected = True

    bus.connect.side_effect = connect
    bus.sync_read.side_effect = lambda *_, **__: dict(where)
    bus.sync_write.side_effect = lambda _, goals, **__: where.update(goals)
    return bus


with patch("lerobot.robots.so_follower.so_follower.FeetechMotorsBus", side_effect=motors):
    from lerobot.robots.so_follower import SO101Follower, SO101FollowerConfig

    folder = pathlib.Path(tempfile.mkdtemp())
    config = SO101FollowerConfig(port="/dev/null", id="mock", calibration_dir=folder, use_degrees=True)
    robot = SO101Follower(config)
    asyncio.run(lerobot_bridge.main(robot, port=0))
