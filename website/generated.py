"""The parts of pages that are made from the program: tables of settings, and the commands.

A part stands between two comments, `<!-- made: NAME -->` and `<!-- end -->`; everything around it is written by hand.
The pages are files of the repository, because people also read them there. To update them after an intended change:

    python website/generated.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import click
import yaml

from headnote.chunking.aliases import BASIC_NAMES
from headnote.chunking.presets import SettingInfo, describe_settings, docstrings
from headnote.chunking.settings import RANGES, Settings
from headnote.cli.command import Command
from headnote.cli.formatting import setting_text
from headnote.cli.main import COMMANDS, app
from headnote.cli.options import SettingsCommand
from headnote.config import ChatSettings, IndexSettings, SearchSettings, ServerSettings
from headnote.config.folder_settings import INDEX, SEARCH
from headnote.config.server_settings import LLM, SERVER
from headnote.config.tables import VARIABLE_PREFIX, Table
from headnote.markdown.plain import plain_text
from headnote.search.query import OPTIONS

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "docs" / "configuration.md", REPOSITORY / "docs" / "commands.md"]

_PART = re.compile(r"(?P<begin><!-- made: (?P<name>\w+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)

KINDS = "kinds of [blocks](chunks.md#what-is-a-block)"
ALSO_ALLOWED = {
    "counter": ", the path of a `tokenizer.json`, in Python a function",
    "oversized": ", or one of them for each kind",
    "keep_whole": f"{KINDS}: a list, or text with commas",
    "mdx": ", `auto`",
}
"""Setting → what it may be besides the values of its type."""


def fill(page: str) -> str:
    """The page with every part as the program makes it now."""
    return _PART.sub(lambda part: f"{part['begin']}\n{PARTS[part['name']]()}\n\n{part['end']}", page)


# Settings


def chunking_table() -> str:
    chunk = command_of("chunk")
    named = [option for option in chunk.params if option.name in ("preset", *BASIC_NAMES)]
    defaults = {"preset": "default", **dict.fromkeys(BASIC_NAMES, "")}
    basic = [
        _row(str(one.name), _variable(str(one.name)), _names(one), defaults[str(one.name)], *_metavar_and_help(one))
        for one in named
    ]
    own = [
        _row(
            one.name,
            _variable(one.name),
            _flags(one),
            setting_text(getattr(Settings(), one.name)),
            _allowed(one),
            one.description,
        )
        for one in describe_settings()
    ]
    return _table(_HEADER, [*basic, *own])


def other_table(table: Table[Any], settings: type, command: str) -> str:
    """The table of the file with this name; `command` has its settings as flags."""
    helps = docstrings(settings) if table is not SEARCH else {name: option.help for name, option in OPTIONS.items()}
    options = {option.name: _names(option) for option in command_of(command).params if isinstance(option, click.Option)}
    defaults = {field.name: field.default for field in fields(settings)}
    rows = [
        _row(name, table.variable_of(name), options.get(name, ""), _default(defaults[name]), check.allowed, helps[name])
        for name, check in table.checks.items()
    ]
    return _table(_HEADER, rows)


_HEADER = ("key, variable, flag", "default", "may be", "meaning")


def _row(key: str, variable: str, flag: str, default: str, allowed: str, meaning: str) -> tuple[str, ...]:
    names = "<br>".join(_code(name) for name in (key, variable, flag) if name)
    return names, _code(default) if default else "", allowed, meaning


def _variable(name: str) -> str:
    return VARIABLE_PREFIX + name.upper()


def _flags(setting: SettingInfo) -> str:
    flag = setting.name.replace("_", "-")
    return f"--[no-]{flag}" if setting.type == "boolean" else f"--{flag}"


def _default(value: Any) -> str:
    return "" if value in (None, "", ()) else setting_text(value)


def _allowed(setting: SettingInfo) -> str:
    least, most = RANGES.get(setting.name, (0, None))
    values = {
        "integer": f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}",
        "boolean": "`true`, `false`",
        "choice": ", ".join(map(_code, setting.choices)),
        "text": "",
    }[setting.type]
    return values + ALSO_ALLOWED.get(setting.name, "")


# Commands


@cache
def command_of(name: str) -> click.Command:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    return command


def commands() -> str:
    """A section for each command, in the order of the help."""
    return "\n\n".join(_section(name) for name in COMMANDS)


def _section(name: str) -> str:
    command = command_of(name)
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if isinstance(one, click.Argument)]
    usage = " ".join(["headnote", name, *map(_usage, arguments), "[OPTIONS]"])
    summary, *details = _paragraphs(command)
    parts = [f"## headnote {name}", summary, f"```text\n{usage}\n```", *details, *_examples(command)]
    for title, parameters in _groups(shown).items():
        parts.append(_table((title, "meaning"), [(_code(_spelled(one)), _meaning(one)) for one in parameters]))
    if isinstance(command, SettingsCommand):
        parts.append("Every [setting of chunks](configuration.md#chunks) is an option, too.")
    return "\n\n".join(parts)


def _groups(parameters: Iterable[click.Parameter]) -> dict[str, list[click.Parameter]]:
    """Title → parameters, as in the help: arguments, options, and the options with a section of their own."""
    groups: dict[str, list[click.Parameter]] = {"arguments": [], "options": []}
    for one in parameters:
        section = "arguments" if isinstance(one, click.Argument) else str(getattr(one, "section", "options")).lower()
        groups.setdefault(section, []).append(one)
    return {title: group for title, group in groups.items() if group}


def _examples(command: click.Command) -> list[str]:
    examples = command.examples if isinstance(command, Command) else []
    lines = "\n".join(f"# {example.about}\n{example.line}" for example in examples)
    return [f"```bash\n{lines}\n```"] if lines else []


def _paragraphs(command: click.Command) -> list[str]:
    text = re.sub(r"\x08\n", "", command.help or "").partition("\f")[0]
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _usage(argument: click.Argument) -> str:
    name = _spelled(argument)
    return name if argument.required else f"[{name}]"


def _spelled(parameter: click.Parameter) -> str:
    """`QUERY`; `-n, --limit N`; `--full`."""
    if isinstance(parameter, click.Argument):
        return parameter.metavar or str(parameter.name).upper()
    return f"{_names(parameter)} {_metavar(parameter)}".strip()


def _names(parameter: click.Parameter) -> str:
    return ", ".join(sorted([*parameter.opts, *parameter.secondary_opts], key=len))


def _metavar(parameter: click.Parameter) -> str:
    """As written in the command. What click itself would show differs between its versions."""
    if getattr(parameter, "is_flag", False) or getattr(parameter, "count", False):
        return ""
    if isinstance(parameter.type, click.Choice):
        return parameter.metavar or "|".join(map(str, parameter.type.choices))
    return parameter.metavar or "TEXT"


def _metavar_and_help(parameter: click.Parameter) -> tuple[str, str]:
    return _code(_metavar(parameter)), _help(parameter)


def _help(parameter: click.Parameter) -> str:
    return str(getattr(parameter, "about", None) or getattr(parameter, "help", None) or "")


def _meaning(parameter: click.Parameter) -> str:
    default = parameter.default
    is_told = (
        isinstance(parameter, click.Argument) or isinstance(default, bool) or not isinstance(default, str | int | float)
    )
    return _help(parameter) if is_told else f"{_help(parameter)} Default: {_code(str(default))}."


# Markdown


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(header)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(text: str) -> str:
    """Code in a cell. A pipe would end the cell, and Markdown parsers disagree about how to escape it in backticks."""
    return f"`{text}`" if "|" not in text else f"<code>{text.replace('|', '&#124;')}</code>"


PARTS: dict[str, Callable[[], str]] = {
    "chunking": chunking_table,
    "index": lambda: other_table(INDEX, IndexSettings, "index"),
    "search": lambda: other_table(SEARCH, SearchSettings, "search"),
    "llm": lambda: other_table(LLM, ChatSettings, "ask"),
    "server": lambda: other_table(SERVER, ServerSettings, "serve"),
    "commands": commands,
}
"""Name of a part → its text."""


# For models: https://llmstxt.org


def llms_index() -> str:
    """`llms.txt`: what headnote is, and every page of the docs by the sections of the nav, with its first sentence."""
    config = _mkdocs()
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for section in config["nav"]:
        ((title, pages),) = section.items()
        lines += [f"## {title}", ""]
        for name, path in _nav_pages(pages):
            text = _page_text(path)
            about = _first_sentence(text)
            lines.append(
                f"- [{name or _title(text)}]({path.removesuffix('.md')}.html)" + (f": {about}" if about else "")
            )
        lines.append("")
    return "\n".join(lines)


def llms_full() -> str:
    """`llms-full.txt`: all of the pages, one after the other, each under its path."""
    pages = [page for section in _mkdocs()["nav"] for pages in section.values() for page in _nav_pages(pages)]
    return "\n\n".join(f"<!-- {path} -->\n\n{_page_text(path).strip()}" for _, path in pages) + "\n"


def _mkdocs() -> dict[str, Any]:
    """Without the tags that only MkDocs understands."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("", lambda *_: None)
    config: dict[str, Any] = yaml.load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    return config


def _nav_pages(pages: Any) -> Iterator[tuple[str, str]]:
    """Name and path of every page; a page without a name has the one of its heading."""
    for page in pages:
        if isinstance(page, str):
            yield "", page
            continue
        ((name, inside),) = page.items()
        if isinstance(inside, str):
            yield name, inside
        else:
            yield from _nav_pages(inside)


def _page_text(path: str) -> str:
    """A page of the project is at the top of the repository."""
    file = REPOSITORY / "docs" / path
    return (file if file.exists() else REPOSITORY / f"{file.stem.upper()}.md").read_text(encoding="utf-8")


def _title(text: str) -> str:
    return next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), "")


def _first_sentence(text: str) -> str:
    """Of the first paragraph, in plain text."""
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"(?:[A-Z*\[]|`(?!``))", paragraph):
            plain = plain_text(re.sub(r"^\*\*[^*]+\*\*\s+", "", " ".join(paragraph.split())))
            return re.split(r"(?<=[.:])\s", plain)[0].rstrip(":")
    return ""


if __name__ == "__main__":
    for file in PAGES:
        file.write_text(fill(file.read_text(encoding="utf-8")), encoding="utf-8")
