"""What the server keeps and shows: solutions, spots, lessons, play sessions."""
