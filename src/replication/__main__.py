"""`python -m replication`: the command line."""

import sys

from replication.cli import main

sys.exit(main())
