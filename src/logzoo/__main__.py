"""`python -m logzoo`: the command line."""

import sys

from logzoo.cli.main import main

sys.exit(main())
