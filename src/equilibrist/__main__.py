"""`python -m equilibrist` is the `equilibrist` command."""

from equilibrist.interfaces.cli import main

if __name__ == "__main__":
    main()
