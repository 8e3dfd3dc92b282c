"""Values and best responses on boards in double precision, for stacks too deep for 32 bits."""
