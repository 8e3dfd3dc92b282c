"""Games from elsewhere: Gambit's .efg files and OpenSpiel."""
