"""Where documents lie in a picture of the graph: linked ones near each other, and each about where it was before.

Springs pull linked documents together, and all push each other away. The push of thousands is that of their mass on a
grid, by Fourier transforms, so a step takes milliseconds. Points of the plane are complex numbers.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from headnote.extras import np
from headnote.links.graph import Graph
from headnote.whole_files import written_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.complex128]
    Numbers = NDArray[np.intp]

FILE = "spots.json"
FARTHEST = 1_000_000
_Coordinate = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
Spot = tuple[_Coordinate, _Coordinate]

STEPS = 120
"""As long as the eye sees a change: on 6,600 notes, lines are 3 % longer after 80 steps than after 150."""
FEW_STEPS = 30
WORK = 1_000_000
"""Documents times steps, about a second of a core: more documents get fewer steps."""
GRID = 128
COARSE_GRID = 64
"""For three quarters of the steps, while documents still move far: links get as long, in two thirds of the time. In the
documentation of Kubernetes, 8 % more documents lie closer to another than a third of a link."""
PUSH = 46.0
PULL = 0.08
LENGTH = 60.0
"""Length of a link at rest."""
LONG = 200.0
"""A longer link hardly pulls more: otherwise a few links between two topics draw them into one ball."""
GRAVITY = 0.011
FRICTION = 0.6
FASTEST = 40.0
WARM = 0.3
"""Share of the first movement that is left where most documents stay: 1 when everything is new."""
STAYING = 0.05
"""How far documents with a spot give way to new ones."""
GOLDEN = 2.399963229728653
"""The angle between one and the next that never repeats."""


class _Linked(NamedTuple):
    """The documents with links, and their links as numbers of them."""

    paths: list[str]
    sources: Numbers
    targets: Numbers

    @classmethod
    def of(cls, graph: Graph) -> _Linked:
        numbers, places = np.unique(np.array(graph.edges, dtype=np.intp).reshape(-1, 2), return_inverse=True)
        sources, targets = places.reshape(-1, 2).T
        return cls([graph.nodes[number].path for number in numbers], sources, targets)

    @property
    def digest(self) -> str:
        """Equal if and only if the picture is that of the same links."""
        links = hashlib.blake2b(digest_size=16)
        links.update("\0".join(self.paths).encode("utf-8", "surrogatepass"))
        links.update(self.sources.tobytes() + self.targets.tobytes())
        return links.hexdigest()

    def degrees(self) -> NDArray[np.intp]:
        return np.bincount(np.concatenate([self.sources, self.targets]), minlength=len(self.paths))

    def sums(self, values: Points) -> Points:
        """For each document, the sum over its neighbours."""
        return self.added(values[self.targets], values[self.sources])

    def added(self, to_sources: Points, to_targets: Points) -> Points:
        """One value of each link added up at its source, and one at its target."""
        ends, values = np.concatenate([self.sources, self.targets]), np.concatenate([to_sources, to_targets])
        count = len(self.paths)
        return np.bincount(ends, values.real, count) + 1j * np.bincount(ends, values.imag, count)


# -- Where they begin


def _smoothed(linked: _Linked) -> Points:
    """Each at the mean of its neighbours, again and again: what belongs together is together before anything moves. The
    mean of all is taken away each time, and what both directions have in common."""
    degrees = linked.degrees()
    share = degrees / degrees.sum()
    points = np.random.default_rng(0).standard_normal((2, len(degrees))).T @ np.array([1, 1j])
    for _ in range(FEW_STEPS):
        points = (points + linked.sums(points) / degrees) / 2
        points -= (share * points).sum()
        x, y = _unit(points.real, share), points.imag
        points = x + 1j * _unit(y - (share * x * y).sum() * x, share)
    # Evenly over a disc; those that would lie on one another, beside each other.
    radius = 24 * np.sqrt(np.argsort(np.argsort(np.abs(points), kind="stable")) + 0.5)
    return np.asarray(radius * np.exp(1j * np.angle(points)) + _around(len(points), 4.0))


def _unit(values: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values / (np.sqrt((share * values * values).sum()) + 1e-12))


def _around(count: int, radius: float) -> Points:
    return np.asarray(radius * np.exp(1j * GOLDEN * np.arange(count)))


def _beside(linked: _Linked, points: Points) -> Points:
    """New documents (NaN) beside those they are linked with; those linked with none, outside of all."""
    points, offsets = points.copy(), _around(len(points), LENGTH / 2)
    while (is_new := np.isnan(points)).any():
        known = linked.sums(np.where(is_new, 0, points))
        count = linked.sums(np.where(is_new, 0j, 1)).real
        reached = is_new & (count > 0)
        if reached.any():
            points[reached] = known[reached] / count[reached] + offsets[reached]
        else:
            first = int(np.argmax(is_new))
            points[first] = offsets[first] * (2 + np.nanmax(np.abs(points)) * 2 / LENGTH)
    return points


# -- How they move


def _pushes(grid: int) -> NDArray[np.complex128]:
    """What one unit of mass does at each distance on a grid, across and down, transformed."""
    steps = np.fft.fftfreq(2 * grid, 1 / (2 * grid))
    away = steps[:, None] + 1j * steps[None, :]
    push = away / (np.abs(away) ** 2 + 1)
    return np.stack([np.fft.rfft2(push.real), np.fft.rfft2(push.imag)])


def _pushed(points: Points, pushes: NDArray[np.complex128]) -> Points:
    """How all others push each point: their mass is spread over a grid, and so is the force."""
    grid = pushes.shape[1] // 2
    low = points.real.min() + 1j * points.imag.min()
    cell = max(np.ptp(points.real), np.ptp(points.imag), 1.0) / (grid - 2)
    places = (points - low) / cell
    column, row = places.real.astype(np.intp), places.imag.astype(np.intp)
    right, down = places.real - column, places.imag - row
    corner = column * grid + row
    corners = np.concatenate([corner, corner + grid, corner + 1, corner + grid + 1])
    shares = np.concatenate([(1 - right) * (1 - down), right * (1 - down), (1 - right) * down, right * down])
    mass = np.bincount(corners, shares, grid * grid).reshape(grid, grid)
    # A transform goes round: an empty rim keeps one edge from pushing the other. Real numbers, and no work on the rim,
    # take 4 ms on the fine grid; one transform of complex numbers in both directions takes 7.
    spectrum = np.fft.fft(np.fft.rfft(mass, 2 * grid), 2 * grid, axis=0)
    columns = np.fft.ifft(spectrum * pushes, axis=1)[:, :grid]
    force = np.fft.irfft(columns, 2 * grid)[..., :grid].reshape(2, -1)
    force = force[0] + 1j * force[1]
    return np.asarray((shares * force[corners]).reshape(4, -1).sum(axis=0) / cell)


def _settled(linked: _Linked, points: Points, free: NDArray[np.float64], heat: float, steps: int) -> Points:
    """`free` says for each point how far it may move, between 0 and 1."""
    degrees, coarse, fine = linked.degrees(), _pushes(COARSE_GRID), _pushes(GRID)
    at_source, at_target = degrees[linked.sources], degrees[linked.targets]
    # By degree: a hub must not be torn by its hundred links.
    strength = 2 * PULL / np.sqrt(np.minimum(at_source, at_target) + 1)
    share = at_target / (at_source + at_target)
    speed, cooling = np.zeros_like(points), (0.02 / heat) ** (1 / steps)
    for step in range(steps):
        pushes = coarse if 4 * step < 3 * steps else fine
        speed = FRICTION * (speed + heat * (PUSH * _pushed(points, pushes) - GRAVITY * points))
        ahead = points + speed
        link = ahead[linked.targets] - ahead[linked.sources]
        long = np.abs(link) + 1e-9
        pull = link * (heat * strength * (long - LENGTH) / long / (1 + long / LONG))
        speed += linked.added(pull * share, pull * (share - 1))
        points = points + free * speed * np.minimum(1, FASTEST / (np.abs(speed) + 1e-9))
        heat *= cooling
    return points


def arranged(graph: Graph, before: Mapping[str, Spot]) -> dict[str, Spot]:
    """A spot for each document with links. If most have had one, they stay about there, and new ones appear beside
    their neighbours. The same links always give the same spots."""
    return _arranged(_Linked.of(graph), before)


def _arranged(linked: _Linked, before: Mapping[str, Spot]) -> dict[str, Spot]:
    count = len(linked.paths)
    if count == 0:
        return {}
    points = np.array([complex(*before[path]) if path in before else np.nan for path in linked.paths])
    is_new = np.isnan(points)
    steps = max(FEW_STEPS, min(STEPS, WORK // count))
    if is_new.sum() * 2 > count:
        points = _settled(linked, _smoothed(linked), np.ones(count), 1.0, steps)
    else:
        points = _settled(linked, _beside(linked, points), np.where(is_new, 1, STAYING), WARM, FEW_STEPS)
    at = zip(points.real.round().astype(int).tolist(), points.imag.round().astype(int).tolist(), strict=True)
    return dict(zip(linked.paths, at, strict=True))


# -- Where spots are kept


class _Kept(msgspec.Struct):
    links: str = ""
    """Digest of the links that they are spots for."""
    spots: dict[str, Spot] = {}


class Arrangement:
    """The spots of an index: in memory, and in a file beside the index if it has one. Safe for threads; of several
    processes, each takes what another has written."""

    def __init__(self, folder: Path | None, *, may_write: bool) -> None:
        self._file = folder / FILE if folder else None
        self._may_write = may_write
        self._kept = _Kept()
        self._lock = threading.Lock()

    def spots(self, graph: Graph) -> list[Spot | None]:
        """For each document of the graph; None for an orphan."""
        linked = _Linked.of(graph)
        digest = linked.digest
        with self._lock:
            if self._kept.links != digest:
                self._kept = self._read() or self._kept
            if self._kept.links != digest:
                self._kept = _Kept(digest, _arranged(linked, self._kept.spots))
                self._write()
            kept = self._kept.spots
        return [kept.get(node.path) for node in graph.nodes]

    def _read(self) -> _Kept | None:
        """None if there is nothing to read, or not as it was written: the documents are arranged anew."""
        if self._file is not None:
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
                return msgspec.json.decode(self._file.read_bytes(), type=_Kept)
        return None

    def _write(self) -> None:
        # Where the folder takes no file, the spots last as long as this process.
        if self._file is not None and self._may_write and self._file.parent.is_dir():
            with suppress(OSError), written_whole(self._file) as aside:
                aside.write_bytes(msgspec.json.encode(self._kept))
