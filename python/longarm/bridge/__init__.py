"""A bridge between the operator console and a lab's own arm: everything but the arm (``longarm help bridge``).

A lab writes an :class:`Arm` and calls :func:`serve_bridge`; the protocol, its WebSocket, halting and the watchdog are
here. An arm of two joints that is nowhere:

>>> from longarm import bridge
>>> class Dream(bridge.Arm):
...     name, gripper = "dream", False
...     limbs = [bridge.Limb("arm", [(-1.5, 1.5), (-2.0, 2.0)])]
...     joints = [0.0, 0.0]
...     def observe(self):
...         return {"joint_position": self.joints}, {}
...     def act(self, values):
...         self.joints = values
>>> with bridge.Bridge(Dream(), port=0) as served:
...     hello = served.hello()
>>> hello["action"]["form"], hello["action"]["dims"], hello["watchdog_ms"]
('joint-position', 2, 500)
"""

from ._arm import Arm, BridgeError, Limb
from ._server import Bridge, serve_bridge

__all__ = ["Arm", "Bridge", "BridgeError", "Limb", "serve_bridge"]
