#!/usr/bin/env python3
"""The table of peers.sh, from a folder of longarm-<round>.json and robosuite-<round>.json.

Exit code 0: the comparison was made (whatever it says); 1: there was nothing to compare with.
"""

import json
import statistics
import sys
from pathlib import Path

# what, our row, robosuite's row, target ratio (issue 2, "How fast")
ROWS = [
    ("no cameras", "control_steps_per_s", "control_steps_per_s", 10),
    ("2 cameras 256x256, robosuite's defaults", "control_steps_per_s_2cam256", "control_steps_per_s_2cam256", 20),
    ("  its shadows and MSAA off", "control_steps_per_s_2cam256", "control_steps_per_s_2cam256_plain", 6),
    ("  its reflections off too (stricter)", "control_steps_per_s_2cam256", "control_steps_per_s_2cam256_bare", 6),
]


def read(path):
    """{name: value} from a JSON object with "rows", a list of rows, or one row per line."""
    text = path.read_text()
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(data, dict):
        data = data.get("rows", [data])
    return {row["name"]: row["value"] for row in data}


def spread(values, digits=None):
    if not values:
        return "-"
    if digits is None:
        digits = 0 if max(values) >= 50 else 1
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def main():
    folder = Path(sys.argv[1])
    theirs = [read(p) for p in sorted(folder.glob("robosuite-*.json"))]
    ours = [read(p) for p in sorted(folder.glob("longarm-*.json"))]
    if not theirs:
        sys.exit(f"compare: no robosuite-*.json in {folder}")

    # Ours by CPU time where the bench reports it; the wall clock otherwise, which on a busy machine can
    # only make us look slower.
    clock = "_cpu" if ours and all(our + "_cpu" in r for r in ours for _, our, _, _ in ROWS) else ""
    head = ["control steps/s", "longarm", "robosuite", "robosuite, wall", "ratio", "target", "met"]
    table = [head]
    for what, our, their, target in ROWS:
        cpu = [r[f"robosuite_lift_{their}"] for r in theirs]
        wall = [r[f"robosuite_lift_{their}_wall"] for r in theirs]
        mine = [r[our + clock] for r in ours]
        ratios = [a / b for a, b in zip(mine, cpu)]
        met = "-" if not ratios else "yes" if statistics.median(ratios) >= target else "NO"
        table.append([what, spread(mine), spread(cpu), spread(wall), spread(ratios, 1), f">= {target}x", met])

    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    for row in table:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
    print(f"Median (min–max) of {len(theirs)} interleaved round(s) on one core, robosuite by CPU time over all threads,")
    if ours:
        print("longarm by CPU time." if clock else "longarm by the wall clock: on a busy machine the ratios are lower bounds.")
    if not ours:
        sys.exit("compare: no figures of longarm bench, so there is no ratio; robosuite alone was measured")


if __name__ == "__main__":
    main()
