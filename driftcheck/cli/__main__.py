"""``python -m driftcheck.cli``."""

import sys

from driftcheck.cli import main

sys.exit(main())
