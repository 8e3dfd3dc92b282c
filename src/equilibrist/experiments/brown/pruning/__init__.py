"""[Brown20, chapter 3]: pruning and dynamic thresholding."""
