"""Time limit for an expected event, as kPatience in patience.h."""

import os

PATIENCE = int(os.environ.get("PATCHBAY_PATIENCE", "300"))  # Seconds.
