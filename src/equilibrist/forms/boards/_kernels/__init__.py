"""Kernels of boards."""
