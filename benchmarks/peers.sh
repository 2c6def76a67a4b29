#!/usr/bin/env bash
# longarm bench beside robosuite 1.5.2's Lift: interleaved rounds on one pinned core, then a table.
# Everything it installs goes into .venv-peers; delete that folder to start over.
#
#   benchmarks/peers.sh          PEERS_ROUNDS=3    rounds
#                                PEERS_SECONDS=4   CPU seconds per robosuite case and round
#                                PYTHON=python3    interpreter for the venv (3.10 to 3.13)
#                                MUJOCO_GL=...     osmesa or egl; unset: the first that works
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${PEERS_ROUNDS:-3}
seconds=${PEERS_SECONDS:-4}
python=${PYTHON:-python3}
cargo=${CARGO:-cargo}
venv=.venv-peers

# robosuite 1.5.2 asks for mujoco>=3.3.0, but breaks with what pip then chooses: 3.10 changed the
# arguments of mj_fullM, which its OSC controller calls, and from 3.13 (or before) to 4.0 its enum tests fail.
# 3.9.0 is the newest that works. Pinned without dependencies: mink (imported only for humanoid IK)
# would hold numpy below 2, and pynput (keyboard teleoperation) compiles evdev from source.
# opencv is the headless build, which needs no libGL.so.1.
pins=(
    robosuite==1.5.2 mujoco==3.9.0
    numpy==2.2.6 scipy==1.15.3 numba==0.61.2 llvmlite==0.44.0
    opencv-python-headless==4.11.0.86 pillow==11.3.0 termcolor==2.5.0
    gymnasium==1.4.0 cloudpickle==3.1.1 farama-notifications==0.0.4
    pyopengl==3.1.9 glfw==2.9.0 absl-py==2.3.0 typing_extensions==4.14.0
)

say() { printf '%s\n' "$*" >&2; }
die() { say "peers: $*"; exit 1; }

[[ $rounds =~ ^[1-9][0-9]*$ ]] || die "PEERS_ROUNDS must be a whole number above 0, not '$rounds'"
command -v taskset >/dev/null || die "taskset is missing; on Debian: apt-get install util-linux"
command -v "$python" >/dev/null || die "$python is missing; on Debian: apt-get install python3"

if [[ "$(cat $venv/pins 2>/dev/null)" != "${pins[*]}" ]]; then
    "$python" -m pip --version >/dev/null 2>&1 || die "pip is missing; on Debian: apt-get install python3-pip"
    say "peers: installing robosuite 1.5.2 into $venv ..."
    rm -rf $venv
    # Without pip of its own, so that Debian's python3-venv is not needed.
    "$python" -m venv --without-pip $venv
    "$python" -m pip --python $venv/bin/python install --quiet --disable-pip-version-check \
        --no-deps --only-binary :all: "${pins[@]}" ||
        die "pip could not install the pinned packages: is there a network? They exist for Python 3.10" \
            "to 3.13 (this is $("$python" -V)); PYTHON=... chooses another"
    echo "${pins[*]}" >$venv/pins
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gl=
for candidate in ${MUJOCO_GL:-osmesa egl}; do
    # The smallest real run: it draws, and checks that the pictures are not blank.
    if MUJOCO_GL=$candidate $venv/bin/python benchmarks/robosuite_lift.py \
        --case control_steps_per_s_2cam256 --seconds 0.01 --warmup 0 \
        >/dev/null 2>"$work/$candidate.log"; then
        gl=$candidate
        break
    fi
done
if [[ -z $gl ]]; then
    for candidate in ${MUJOCO_GL:-osmesa egl}; do
        say "--- MUJOCO_GL=$candidate:"
        tail -n 3 "$work/$candidate.log" >&2
    done
    for library in OSMesa:libosmesa6 "EGL:libegl1 and libegl-mesa0"; do
        "$python" -c 'import ctypes.util, sys; sys.exit(not ctypes.util.find_library(sys.argv[1]))' "${library%%:*}" ||
            say "peers: lib${library%%:*} is missing; Debian package ${library#*:}"
    done
    die "robosuite cannot draw without a screen. Install one of them (root): 'apt-get install libosmesa6'," \
        "or where Debian no longer has it 'apt-get install libegl1 libegl-mesa0'"
fi
export MUJOCO_GL=$gl

core=$("$python" -c 'import os; print(max(os.sched_getaffinity(0)))')
ours=true
if ! "$cargo" build --release --quiet; then
    ours=false
    say "peers: longarm does not build; measuring robosuite only"
fi
for ((round = 1; round <= rounds; round++)); do
    if $ours; then
        say "peers: round $round of $rounds, longarm on core $core"
        if ! taskset -c "$core" "$cargo" run --release --quiet -- bench --json --quick >"$work/longarm-$round.json"; then
            ours=false
            rm -f "$work"/longarm-*.json
            say "peers: longarm bench failed; measuring robosuite only"
        fi
    fi
    say "peers: round $round of $rounds, robosuite on core $core"
    taskset -c "$core" $venv/bin/python benchmarks/robosuite_lift.py --seconds "$seconds" \
        >"$work/robosuite-$round.json" || die "robosuite failed, see above"
done

"$python" benchmarks/compare.py "$work"
