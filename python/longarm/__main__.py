"""The command line: ``longarm`` and ``python -m longarm``."""

import signal
import sys

from ._native import command


def main() -> int:
    """Run the command that ``sys.argv`` holds; return the exit status."""
    # Commands that end in order listen themselves; Ctrl-C ends the others at once, not only when Python
    # runs again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command([sys.executable, "-m", "longarm"], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
