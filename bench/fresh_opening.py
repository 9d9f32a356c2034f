"""What a process that has just started pays for its first hits, of a folder or of a pack. `packs.py` runs it.

    python bench/fresh_opening.py PLACE QUERY

The output is JSON: step → seconds by the clock, and seconds of all cores.
"""

from __future__ import annotations

import json
import sys
import time


class Watch:
    """The time since it was last looked at."""

    def __init__(self) -> None:
        self._last = self._now()

    def lap(self) -> tuple[float, float]:
        """Seconds by the clock, and of all cores."""
        before, self._last = self._last, self._now()
        return self._last[0] - before[0], self._last[1] - before[1]

    def _now(self) -> tuple[float, float]:
        return time.perf_counter(), time.process_time()


def main() -> int:
    place, query = sys.argv[1:]
    watch, steps = Watch(), {}
    from headnote import Index  # its time is measured, too

    steps["import"] = watch.lap()
    index = Index.open(place, without_deep=True)
    steps["open"] = watch.lap()
    found = index.search(query)
    steps["first hit"] = watch.lap()
    index.search(f"{query} again")
    steps["second search"] = watch.lap()
    assert found, "the query finds something"
    index.close()
    print(json.dumps(steps))
    return 0


if __name__ == "__main__":
    sys.exit(main())
