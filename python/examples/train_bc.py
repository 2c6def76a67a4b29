#!/usr/bin/env python3
"""Behaviour cloning in a hundred lines: 50 demonstrations of one task, a small network, its score.

    pip install . torch
    python python/examples/train_bc.py

The policy sees its own pose and the objects' (privileged=True): with pictures the shape is the same
and the training longer. A single skill is within its reach; five blocks in a tower
(--task longbench/stack-block) are not, though the same fifty demonstrations show how.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

import longarm

CHUNK = 8


def features(seen: dict) -> torch.Tensor:
    """Rows of numbers: the tool, the gripper, every object, and where it is from the tool, once more
    finely where it is close. Arrays become tensors without a copy."""
    tool, opening, objects = (
        torch.from_numpy(seen[k]) for k in ("tool_pose", "gripper_opening", "environment_state")
    )
    objects = objects.view(len(tool), -1, 7)
    apart = (objects[:, :, :3] - tool[:, None, :3]).flatten(1)
    near = [torch.tanh(apart / metres) for metres in (0.1, 0.02)]
    return torch.cat([tool, opening, objects.flatten(1), *near], dim=1)


class Policy(nn.Module):
    """Observations in, a chunk of actions out."""

    def __init__(self, inputs: torch.Tensor, targets: torch.Tensor):
        super().__init__()
        self.actions = targets.shape[2]
        self.register_buffer("mean", inputs.mean(0))
        self.register_buffer("std", inputs.std(0) + 1e-3)
        # Millimetres decide, and the gripper's big numbers would drown them.
        self.register_buffer("scale", targets.std((0, 1)) + 1e-2)
        width = 256
        self.net = nn.Sequential(
            nn.Linear(inputs.shape[1], width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, CHUNK * self.actions),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = ((x - self.mean) / self.std).clamp(-5, 5)
        return self.net(x).view(-1, CHUNK, self.actions) * self.scale

    @torch.inference_mode()
    def act(self, seen: dict) -> torch.Tensor:
        """As `longarm.evaluate` calls it: all running episodes at once."""
        return self(features(seen)).clamp(-1, 1)


def dataset(task: str, episodes: int) -> tuple[torch.Tensor, torch.Tensor]:
    inputs, targets = [], []
    for demo in longarm.demonstrations(task, episodes, seed=1000, privileged=True):
        # The next actions of each moment; the last is held.
        ahead = np.minimum(np.arange(len(demo))[:, None] + np.arange(CHUNK), len(demo) - 1)
        inputs.append(features(demo.observations)[:-1])
        targets.append(torch.from_numpy(demo.actions[ahead]))
    return torch.cat(inputs), torch.cat(targets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="boss/kitchen-scene1-put-the-black-bowl-on-the-plate")
    parser.add_argument("--demos", type=int, default=50)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--episodes", type=int, default=20)
    args = parser.parse_args()
    torch.manual_seed(0)
    # The network is small: more threads would wait for each other longer than they work.
    torch.set_num_threads(1)

    started = time.perf_counter()
    inputs, targets = dataset(args.task, args.demos)
    print(
        f"{args.demos} demonstrations, {len(inputs)} frames in {time.perf_counter() - started:.0f} s"
    )

    policy = Policy(inputs, targets)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    started = time.perf_counter()
    for step in range(1, args.steps + 1):
        rows = torch.randint(len(inputs), (256,))
        loss = ((policy(inputs[rows]) - targets[rows]) / policy.scale).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 1000 == 0:
            print(f"step {step}: loss {loss:.4f}, {time.perf_counter() - started:.0f} s")

    policy.eval()
    results = longarm.evaluate(
        policy.act,
        args.task,
        episodes=args.episodes,
        cameras=False,
        privileged=True,
        execute=4,
        label="bc",
    )
    print(results)
    print(f"score {results.score:.1f}, success {100 * results.success:.0f} %")


if __name__ == "__main__":
    main()
