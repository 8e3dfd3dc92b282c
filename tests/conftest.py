"""Settings of all tests."""

from hypothesis import settings

# machines are noisy, and the first example of a test may compile kernels
settings.register_profile("equilibrist", deadline=None)
settings.load_profile("equilibrist")
