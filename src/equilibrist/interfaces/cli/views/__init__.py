"""What commands print: grids, tables, runouts."""
