"""ReBeL where public states have a thousand hands: one street of a game on boards is searched, leaves are where the next card comes."""
