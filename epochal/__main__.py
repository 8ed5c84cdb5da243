"""`python -m epochal` is `epochal`."""

from epochal.cli.main import main

if __name__ == "__main__":
    main()
