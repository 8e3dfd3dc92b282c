"""[Brown20, chapter 4]: bet sizes and simultaneous abstraction and equilibrium finding."""
