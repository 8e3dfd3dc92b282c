"""Many spots at once: on a GPU those of one shape side by side, on the CPU one a thread."""
