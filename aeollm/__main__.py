"""``python -m aeollm``."""

import sys

from aeollm.cli import main

sys.exit(main())
