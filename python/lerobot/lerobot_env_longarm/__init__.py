"""longarm's tasks for LeRobot: ``lerobot-eval --env.type=longarm --env.task=longbench/stack-block``."""

from __future__ import annotations

from dataclasses import dataclass, field

from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig
from lerobot.utils.constants import ACTION, OBS_IMAGES, OBS_STATE

import longarm

__all__ = ["LongarmEnv"]


@EnvConfig.register_subclass("longarm")
@dataclass
class LongarmEnv(EnvConfig):
    """One task; observations are ``agent_pos`` and ``pixels/CAMERA``."""

    task: str | None = "longbench/stack-block"
    fps: int = longarm.CONTROL_HZ
    episode_length: int | None = None
    """Control steps before the task's own horizon ends an episode."""
    reward: str = "sparse"
    """``sparse``, ``stages`` or ``dense``, as :class:`longarm.Env` has them."""
    observation_height: int = 256
    observation_width: int = 256
    render_mode: str = "rgb_array"
    features: dict[str, PolicyFeature] = field(default_factory=dict)
    features_map: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (task,) = longarm.tasks(self.task or "")
        env = longarm.Env(task, obs="lerobot", size=self._size)
        shapes = {field.key: field.shape for field in env.fields}
        self.features = {
            ACTION: PolicyFeature(type=FeatureType.ACTION, shape=(len(task.action_low),)),
            "agent_pos": PolicyFeature(type=FeatureType.STATE, shape=shapes["agent_pos"]),
        }
        self.features_map = {ACTION: ACTION, "agent_pos": OBS_STATE}
        for name, *_ in task.cameras:
            key = f"pixels/{name}"
            self.features[key] = PolicyFeature(type=FeatureType.VISUAL, shape=shapes[key])
            self.features_map[key] = f"{OBS_IMAGES}.{name}"

    @property
    def _size(self) -> tuple[int, int]:
        return (self.observation_width, self.observation_height)

    @property
    def package_name(self) -> str:
        return "longarm"

    @property
    def gym_id(self) -> str:
        return longarm.tasks(self.task or "")[0].gym_id

    @property
    def gym_kwargs(self) -> dict:
        # Not Gymnasium's own limit: its wrapper would hide the instruction from LeRobot.
        options = {"obs": "lerobot", "size": self._size, "render_mode": self.render_mode}
        return options | {"limit": self.episode_length, "reward": self.reward}
