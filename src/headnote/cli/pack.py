"""`headnote pack`: an index as one file to pass on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from headnote.api import PackInfo, RootStatus, check_folder, read_pack_info
from headnote.cli import choices, options
from headnote.cli.access import IndexCommand, NamedIndex
from headnote.cli.command import Argument, Option
from headnote.cli.formatting import byte_size, counted
from headnote.cli.terminal import StyledLine, StyledText, write_json, write_lines, write_message, write_note
from headnote.errors import SettingsError
from headnote.extra.packs.unpacking import verify_pack

SUFFIX = ".headnote"
ABOUT = "About the pack"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
CHECKING = "Look at a pack instead of making one"


def _text(name: str, metavar: str, about: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        f"--{name}", cls=Option, section=ABOUT, default="", show_default=False, metavar=metavar, help=about
    )


@click.command(
    "pack",
    cls=IndexCommand,
    examples=[
        ("a folder as one file", "headnote pack docs -o docs.headnote --version 1.30"),
        ("what it says about itself", "headnote pack --info docs.headnote"),
        ("check every byte of it", "headnote pack --verify docs.headnote"),
    ],
)
@click.argument(
    "root",
    cls=Argument,
    type=options.PATH,
    default=".",
    shell_complete=choices.folders,
    about="Folder to pack; the current one by default.",
)
@click.option("--out", "-o", type=options.PATH, metavar="FILE", help="File to write; FOLDER.headnote by default.")
@click.option("--deep", is_flag=True, help="Include the vectors of the deep model.")
@click.option("--times", is_flag=True, help="Include when files were changed, for --since and --recency.")
@click.option("--sign", type=options.PATH, metavar="KEY", help="Sign it with this SSH key.")
@options.no_update
@_text("name", "NAME", "Name of the pack; that of the folder by default.")
@_text("version", "VERSION", "Version of the documents.")
@_text("description", "TEXT", "What is in it, in a sentence.")
@_text("licence", "NAME", "Licence of the documents, such as CC-BY-4.0.")
@click.option("--info", cls=Option, section=CHECKING, type=options.PATH, metavar="FILE", help="Show what a pack says.")
@click.option(
    "--verify", cls=Option, section=CHECKING, type=options.PATH, metavar="FILE", help="Check every byte of a pack."
)
@click.option(
    "--key",
    cls=Option,
    section=CHECKING,
    type=options.PATH,
    metavar="PUB",
    help="With --verify: it must be signed with a key of this file.",
)
@options.as_json
def pack_command(
    named: NamedIndex,
    out: Path | None,
    deep: bool,
    times: bool,
    sign: Path | None,
    name: str,
    version: str,
    description: str,
    licence: str,
    info: Path | None,
    verify: Path | None,
    key: Path | None,
) -> None:
    """Make one file of an index, to search on any machine.

    It holds text, words, links, settings of chunks, the sentences about folders, and the vectors of the instant model.
    Paths of this machine, ignored files, keys and addresses of services stay here. The same folder gives the same
    bytes.
    """
    if key is not None and verify is None:
        raise SettingsError("--key says who must have signed a pack", path="--key", remedy="add --verify FILE")
    if verify is not None:
        _show(verify, verify_pack(verify, key), named.as_json, _verdict(key))
        return
    if info is not None:
        _show(info, read_pack_info(info), named.as_json)
        return
    root = named.root
    check_folder(root)
    with named.updated() as index:
        if why := index.why_no_documents():
            write_note(why)
        folders = index.status().folders or [RootStatus("", str(root.resolve()), len(index.documents()))]
        # One that may not be read, or cannot be, gives only what the index has of it.
        folders = [folder for folder in folders if folder.documents or not folder.problem]
        for folder in folders:  # before anything is written: a file may name folders that nobody thinks of
            write_message(f"packing {counted(folder.documents, 'document')} of {folder.folder}")
        file = out or Path(f"{root.resolve().name}{SUFFIX}")
        about = {"name": name, "version": version, "description": description, "licence": licence}
        made = index.pack(file, **about, deep=deep, times=times, sign=sign)
    _show(file, made, named.as_json, folders=folders)


def _verdict(key: Path | None) -> str:
    return f"every byte is as it was packed{f', and {key} has signed it' if key else ''}"


def _show(file: Path, info: PackInfo, as_json: bool, verdict: str = "", folders: Sequence[RootStatus] = ()) -> None:
    if as_json:
        record = {name: getattr(info, name) for name in info.__dataclass_fields__}
        taken = [{"name": one.name, "folder": one.folder, "documents": one.documents} for one in folders]
        made = {"folders": taken} if taken else {}
        write_json({"pack": str(file), **record, **made, **({"verified": True} if verdict else {})})
    else:
        write_lines(_lines(file, info, verdict))


def _lines(file: Path, info: PackInfo, verdict: str) -> list[StyledLine]:
    size = f"{counted(info.documents, 'document')}, {counted(info.chunks, 'chunk')}, {byte_size(info.bytes)}"
    facts = {
        "name": " ".join(filter(None, (info.name, info.version))),
        "about": info.description,
        "licence": info.licence,
        "folders": ", ".join(info.roots),
        "context": counted(len(info.contexts), "sentence") if info.contexts else "",
        "vectors": ", ".join(info.models) or "none: it is searched by words",
        "created": datetime.fromtimestamp(info.created, UTC).strftime("%Y-%m-%d %H:%M UTC") if info.created else "",
        "checksum": info.checksum,
        "signed by": info.signer,
        "checked": verdict,
    }
    width = max(map(len, facts)) + 2
    rows = [[StyledText(f"  {name:<{width}}", "dim"), StyledText(value)] for name, value in facts.items() if value]
    return [[StyledText(str(file), "cyan"), StyledText(f"  {size}")], *rows]
