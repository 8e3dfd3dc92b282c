"""Networks: layers as in the papers, several nets side by side, and what PyTorch is asked for."""
