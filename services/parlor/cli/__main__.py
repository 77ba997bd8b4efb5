"""`python -m parlor.cli`."""

from parlor.cli import main

if __name__ == "__main__":
    main()
