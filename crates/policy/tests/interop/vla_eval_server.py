"""A model server made with the real vla-eval package, unmodified. Prints its port, then serves."""

import sys

import anyio
import numpy as np
from vla_eval.model_servers.predict import PredictModelServer
from vla_eval.model_servers.serve import serve_async
from vla_eval.specs import (
    GRIPPER_CLOSE_NEG,
    GRIPPER_CLOSE_POS,
    IMAGE_RGB,
    LANGUAGE,
    POSITION_DELTA,
    ROTATION_AA,
    STATE_EEF_POS_AA_GRIP,
)


class Mirror(PredictModelServer):
    def __init__(self, gripper, **kwargs):
        super().__init__(**kwargs)
        self.gripper = gripper
        self.episodes = 0

    async def on_episode_start(self, config, ctx):
        await super().on_episode_start(config, ctx)
        assert config["task"]["name"] == "stack the blocks", config
        self.episodes += 1

    def predict(self, obs, ctx):
        if obs["task_description"] == "fail":
            raise ValueError("told to fail")
        for name in ("agentview", "wrist"):
            image = obs["images"][name]
            assert image.shape == (256, 256, 3) and image.dtype == np.uint8, (image.shape, image.dtype)
        state = obs["states"]
        assert state.shape == (8,) and state.dtype == np.float32, (state.shape, state.dtype)
        chunk = np.zeros((4, 7), np.float32)
        chunk[:, 0] = obs["images"]["agentview"].mean() / 255
        chunk[:, 1] = ctx.step / 10
        chunk[:, 2] = self.episodes / 10
        chunk[:, 3] = np.arange(4) / 10
        chunk[:, 4:6] = state[6:8]
        chunk[:, 6] = 1
        return {"actions": chunk}

    def get_action_spec(self):
        return {"position": POSITION_DELTA, "rotation": ROTATION_AA, "gripper": self.gripper}

    def get_observation_spec(self):
        return {"agentview": IMAGE_RGB, "wrist": IMAGE_RGB, "state": STATE_EEF_POS_AA_GRIP, "language": LANGUAGE}


async def main():
    gripper = GRIPPER_CLOSE_NEG if "close-negative" in sys.argv else GRIPPER_CLOSE_POS
    async with anyio.create_task_group() as group:
        port = await group.start(serve_async, Mirror(gripper, chunk_size=4), "127.0.0.1", 0)
        print(port, flush=True)


anyio.run(main)
