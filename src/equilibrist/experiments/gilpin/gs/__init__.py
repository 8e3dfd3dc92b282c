"""[Gilpin09, chapter 7]: the GS players."""
