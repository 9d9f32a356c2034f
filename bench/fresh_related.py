"""What a process that has just started pays for passages near a document. `related.py` runs it.

    python bench/fresh_related.py ROOT PATH...

The first PATH is asked twice, then each other one, then all of them for links to make. The output is JSON: step →
seconds by the clock, and seconds of all cores; of several, the median.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence

from fresh_opening import Watch

STEPS = ("import and open", "first", "the same again", "another", "links to make, first", "links to make, another")


def main() -> int:
    root, *paths = sys.argv[1:]
    watch = Watch()
    from headnote import Index  # its time is measured, too

    index = Index.open(root, without_deep=True)
    laps: dict[str, list[tuple[float, float]]] = {STEPS[0]: [watch.lap()]}

    def ask(step: str, path: str, unlinked: bool = False) -> None:
        watch.lap()
        index.related(path, unlinked=unlinked)
        laps.setdefault(step, []).append(watch.lap())

    for step in STEPS[1:3]:
        ask(step, paths[0])
    for path in paths[1:]:
        ask(STEPS[3], path)
    for number, path in enumerate(paths):
        ask(STEPS[5] if number else STEPS[4], path, unlinked=True)
    index.close()
    print(json.dumps({step: _median(found) for step, found in laps.items()}))
    return 0


def _median(laps: Sequence[tuple[float, float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*laps, strict=True)]


if __name__ == "__main__":
    sys.exit(main())
