"""Run the command line with ``python -m bayesbias``."""

import sys

from bayesbias.cli import main

if __name__ == "__main__":
    sys.exit(main())
