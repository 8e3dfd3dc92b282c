"""Settings of all tests."""

import os

from hypothesis import settings

# Machines are noisy, and the first example of a test may compile kernels. Examples are the same everywhere, so that a change is judged by
# what it changes; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("equilibrist", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "equilibrist"))
