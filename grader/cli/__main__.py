"""Run the command line as ``python -m grader.cli``."""

from grader.cli.entry import main

if __name__ == "__main__":
    main()
