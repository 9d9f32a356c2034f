"""What every store refuses in the same words."""

from headnote.errors import UnwritableIndex


def read_only_index(place: str) -> UnwritableIndex:
    return UnwritableIndex("opened read-only", path=place, remedy="leave out --read-only or --no-update to write")


def older_index(place: str) -> UnwritableIndex:
    """Its tables are to be changed before they are read, and it shall not be written."""
    remedy = "run headnote index once, which brings it up to date"
    return UnwritableIndex("an older headnote made it, and it is opened read-only", path=place, remedy=remedy)
