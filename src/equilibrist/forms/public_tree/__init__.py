"""Public trees: public states, each with one vector of private states per player."""
