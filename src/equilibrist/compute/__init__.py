"""Where work runs: the kernel decorator and its cache.

Enters: plain loops over arrays. Leaves: compiled ones, kept on disk. Start with `kernel.py`.
"""
