#!/usr/bin/env python3
"""Behaviour cloning in a hundred lines: 50 demonstrations of one task, a small network, its score.

    pip install . torch
    python python/examples/train_bc.py

The policy sees its own pose and the objects' (privileged=True): with pictures the shape is the same
and the training longer.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

import longarm

KEYS = ("tool_pose", "gripper_opening", "environment_state")
CHUNK = 8


class Policy(nn.Module):
    """Observations in, a chunk of actions out."""

    def __init__(self, inputs: torch.Tensor, actions: int):
        super().__init__()
        self.register_buffer("mean", inputs.mean(0))
        self.register_buffer("std", inputs.std(0) + 1e-3)
        width = 512
        self.net = nn.Sequential(
            nn.Linear(inputs.shape[1], width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Linear(width, CHUNK * actions),
        )
        self.actions = actions

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = ((x - self.mean) / self.std).clamp(-5, 5)
        return self.net(x).view(-1, CHUNK, self.actions)

    @torch.inference_mode()
    def act(self, seen: dict) -> torch.Tensor:
        """As `longarm.evaluate` calls it: all running episodes at once. Arrays become tensors without
        a copy."""
        x = torch.cat([torch.from_numpy(seen[k]) for k in KEYS], dim=1)
        return self(x).clamp(-1, 1)


def dataset(task: str, episodes: int) -> tuple[torch.Tensor, torch.Tensor]:
    inputs, targets = [], []
    for demo in longarm.demonstrations(task, episodes, seed=1000, privileged=True):
        seen = np.concatenate([demo.observations[k][:-1] for k in KEYS], axis=1)
        # The next actions of each moment; the last is held.
        ahead = np.minimum(np.arange(len(demo))[:, None] + np.arange(CHUNK), len(demo) - 1)
        inputs.append(seen)
        targets.append(demo.actions[ahead])
    return torch.from_numpy(np.concatenate(inputs)), torch.from_numpy(np.concatenate(targets))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="longbench/stack-block")
    parser.add_argument("--demos", type=int, default=50)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--episodes", type=int, default=20)
    args = parser.parse_args()
    torch.manual_seed(0)

    started = time.perf_counter()
    inputs, targets = dataset(args.task, args.demos)
    print(
        f"{args.demos} demonstrations, {len(inputs)} frames in {time.perf_counter() - started:.0f} s"
    )

    policy = Policy(inputs, targets.shape[2])
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    started = time.perf_counter()
    for step in range(1, args.steps + 1):
        rows = torch.randint(len(inputs), (256,))
        # A little noise on what is seen, so that small deviations are known.
        x = inputs[rows] + 0.002 * torch.randn(256, inputs.shape[1])
        loss = (policy(x) - targets[rows]).abs().mean()
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
