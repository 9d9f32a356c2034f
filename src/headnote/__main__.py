"""`python -m headnote` is the command `headnote`."""

from __future__ import annotations

from headnote.cli.handover import run

if __name__ == "__main__":
    run()
