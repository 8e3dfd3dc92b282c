"""Infinitely repeated games with lack of information on one side ([Gilpin09, chapter 11])."""
