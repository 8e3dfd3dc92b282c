"""ReBeL: self-play over public beliefs, searches with a value network at their edge ([Brown20, §5.3])."""
