"""How long a test waits for what must happen, as patience.h has it for those in C++."""

import os

PATIENCE = int(os.environ.get("PATCHBAY_PATIENCE", "300"))  # Seconds.
