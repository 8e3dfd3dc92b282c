"""Blueprint players: reading real hands, searching streets again, improving themselves."""
