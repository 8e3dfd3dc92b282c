"""Engines below a gadget: parts of public trees, boards of spots and of whole games, streamed boards; and sampled rounds."""
