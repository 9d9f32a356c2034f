"""A pack answers as the folder does, on a machine that has no folder, and is found out if it was changed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pack_samples import BLOCK, changed, database_of, description_of, run, write_pack

import headnote
from headnote import CorruptIndex, Index, IndexFailure, MissingSource, NewerIndex, SettingsError, UnwritableIndex
from headnote.api import read_pack_info, trust_folder
from headnote.extra.packs.unpacking import verify_pack
from headnote.search.query import Mode
from headnote.store import codec
from headnote.store.integrity import signed
from headnote.store.sqlite.schema import VERSION

QUERIES = ["how often do I calibrate", "battery", "waves", "wiring the sensor", "what does the display show", "mount"]
SECRETS = {
    "HEADNOTE_CHAT_KEY": "key-of-the-chat",
    "OPENAI_API_KEY": "key-of-openai",
    "HEADNOTE_CHAT_URL": "https://service.example/v1",
}
CONFIG = """
[llm]
model = "hidden-model"

[search]
limit = 7

[index]
exclude = ["private/**"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    root = tmp_path_factory.mktemp("packs") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    (root / "private").mkdir()
    (root / "private" / "diary.md").write_text("# Diary\n\nNobody reads the quokka page.\n")
    (root / "scan-of-passport.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    (root / "headnote.toml").write_text(CONFIG)
    trust_folder(root)
    return root


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    with Index.open(folder, embedder="instant") as opened:
        opened.update()
        yield opened


@pytest.fixture(scope="module")
def pack(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("made") / "handbook.headnote"
    index.pack(file, version="3", licence="CC-BY-4.0", times=True)
    return file


@pytest.fixture
def opened(pack: Path) -> Iterator[Index]:
    with headnote.open_pack(pack) as index:
        yield index


# The same answers


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("query", QUERIES)
def test_hits_ranks_and_scores_are_those_of_the_folder(index: Index, opened: Index, query: str, mode: Mode) -> None:
    for options in (
        {},
        {"limit": 30, "min_score": 0.0},
        {"expand": "section"},
        {"recency_steps": True, "fusion": "rrf"},
    ):
        found = index.search(query, mode=mode, **options)
        assert opened.search(query, mode=mode, **options) == found
        assert found or mode != "hybrid"
    page = index.search_page(query, mode=mode)
    assert opened.search_page(query, mode=mode) == page


def test_everything_that_can_be_read_is_the_same(index: Index, opened: Index) -> None:
    assert opened.documents() == index.documents()
    assert opened.contents() == index.contents()
    assert opened.graph() == index.graph()
    assert opened.broken_links() == index.broken_links()
    assert opened.orphans() == index.orphans()
    assert opened.suggested_questions() == index.suggested_questions()
    for path in index.documents():
        assert opened.document(path) == index.document(path)
        assert opened.outline(path) == index.outline(path)
        assert opened.read(path) == index.read(path)
    question = "How often do I calibrate?"
    assert opened.ask(question, model="") == index.ask(question, model="")


def test_settings_travel(index: Index, opened: Index) -> None:
    assert opened.settings == index.settings
    assert opened.search_settings == index.search_settings
    assert opened.search_settings.limit == 7


def test_variables_count_more_than_the_pack(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADNOTE_SEARCH_LIMIT", "2")
    with headnote.open_pack(pack) as opened:
        assert len(opened.search("the")) == 2


def test_a_pack_is_opened_wherever_a_folder_is(pack: Path) -> None:
    with Index.open(pack) as opened:
        assert opened.pack_info is not None
        assert opened.pack_info.version == "3"
    with pytest.raises(SettingsError, match="a pack has its settings inside"):
        Index.open(pack, preset="ragdocs")


# What needs the folder


def test_what_needs_the_folder_says_so(opened: Index, tmp_path: Path) -> None:
    for attempt in (opened.update, opened.plan, opened.repair, lambda: opened.pack(tmp_path / "again.headnote")):
        with pytest.raises(UnwritableIndex, match="a pack is only read, and has no folder"):
            attempt()
    with pytest.raises(UnwritableIndex, match="has no folder"):
        opened.check_writing()
    assert opened.attachment("pictures/icon.png") is None
    assert opened.drift().is_empty
    assert opened.status().bytes_on_disk == opened.root.stat().st_size


def test_without_times_nobody_asks_for_them(index: Index, tmp_path: Path) -> None:
    index.pack(tmp_path / "a.headnote")
    with headnote.open_pack(tmp_path / "a.headnote") as opened:
        with pytest.raises(SettingsError, match="does not say when files were changed"):
            opened.search("battery", since="7d")
        assert [hit.path for hit in opened.search("battery")] == [hit.path for hit in index.search("battery")]


# The file


def test_the_same_folder_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "handbook"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(folder) as index:
        index.pack(tmp_path / "one.headnote")
    (copy / "later.md").write_text("# Later")
    trust_folder(copy)
    with Index.open(copy, embedder="instant") as other:
        other.update(workers=1)
        (copy / "later.md").unlink()
        first = copy / other.documents()[0]
        text = first.read_bytes()
        first.write_bytes(text + b"\nMore.\n")
        other.update(workers=1)
        first.write_bytes(text)
        other.update()
        other.pack(tmp_path / "two.headnote")
    assert (tmp_path / "one.headnote").read_bytes() == (tmp_path / "two.headnote").read_bytes()


def test_the_one_time_in_it_is_the_one_that_is_given(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index.pack(tmp_path / "a.headnote").created is None
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert index.pack(tmp_path / "b.headnote").created == 1_700_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(SettingsError, match="seconds since 1970"):
        index.pack(tmp_path / "c.headnote")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.headnote", "b.headnote"], "nothing is left behind"


def test_what_is_private_stays_here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with Index.open(folder) as index:
        index.update()
        index.pack(tmp_path / "a.headnote", times=True)
    data = (tmp_path / "a.headnote").read_bytes()
    for secret in (
        *SECRETS.values(),
        "hidden-model",
        "quokka",
        "diary",
        "private/",
        "scan-of-passport.md",
        str(folder.parent),
    ):
        assert secret.encode() not in data, secret
    assert b"handbook" in data


def test_nothing_is_written_and_many_may_read(pack: Path, tmp_path: Path) -> None:
    place = tmp_path / "shelf"
    place.mkdir()
    file = place / "a.headnote"
    shutil.copy(pack, file)
    file.chmod(0o444)
    place.chmod(0o555)
    before = file.stat().st_mtime_ns
    code = "import sys, headnote; print(headnote.open_pack(sys.argv[1]).search('battery')[0].path)"
    readers = [subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=-1, text=True) for _ in range(3)]
    found = {reader.communicate(timeout=120)[0] for reader in readers}
    assert len(found) == 1
    assert found.pop().strip()
    assert [path.name for path in place.iterdir()] == ["a.headnote"]
    assert file.stat().st_mtime_ns == before
    place.chmod(0o755)


def test_a_pack_that_is_replaced_stays_open_as_it_was(pack: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.headnote"
    shutil.copy(pack, file)
    with headnote.open_pack(file) as opened:
        found = opened.search("battery")
        file.unlink()
        assert opened.search("battery") == found
        assert opened.search("waves")


# Damage


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_byte_that_changed_is_noticed(pack: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(pack.read_bytes())
    end = st.integers(len(content) - 3000, len(content) - 1)
    place = data.draw(st.one_of(end, st.integers(0, len(content) - 1)), "place")
    content[place] ^= data.draw(st.integers(1, 255), "change")
    (tmp_path / "a.headnote").write_bytes(content)
    with pytest.raises((CorruptIndex, NewerIndex)) as caught:
        verify_pack(tmp_path / "a.headnote")
    assert caught.value.remedy


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_pack_that_is_cut_off_is_noticed(pack: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = pack.read_bytes()
    (tmp_path / "a.headnote").write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(CorruptIndex, match=r"its end is missing|not a pack|do not fit"):
        headnote.open_pack(tmp_path / "a.headnote")


def test_a_search_never_uses_a_block_that_changed(pack: Path, tmp_path: Path) -> None:
    """Opening reads little; whatever a search reads later is compared with its digest."""
    found = headnote.open_pack(pack).search("battery")
    size = database_of(pack, tmp_path / "a.db").stat().st_size
    noticed = []
    for block in range(size // BLOCK):
        content = bytearray(pack.read_bytes())
        content[block * BLOCK + 5000] ^= 1
        (tmp_path / "a.headnote").write_bytes(content)
        try:
            with headnote.open_pack(tmp_path / "a.headnote") as opened:
                assert opened.search("battery") == found
        except CorruptIndex as error:
            noticed.append(error.message)
    assert set(noticed) == {"the pack is damaged: its contents do not match their checksums"}


def test_what_is_no_pack_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.headnote").write_text("a note")
    with pytest.raises(CorruptIndex, match="not a pack"):
        headnote.open_pack(tmp_path / "a.headnote")
    with pytest.raises(MissingSource, match="no such pack"):
        headnote.open_pack(tmp_path / "b.headnote")
    with pytest.raises(headnote.NotAFile, match="a folder, not a pack"):
        headnote.open_pack(tmp_path)


# Versions


def test_format_1_stays_readable(index: Index, pack: Path, tmp_path: Path) -> None:
    database = database_of(pack, tmp_path / "a.db")
    with headnote.open_pack(write_pack(database, tmp_path / "a.pack", **description_of(pack))) as opened:
        assert opened.search("battery") == index.search("battery")
    with headnote.open_pack(write_pack(database, tmp_path / "b.pack", name="little")) as opened:
        assert opened.pack_info == read_pack_info(tmp_path / "b.pack")
        assert opened.search("battery", mode="keyword") == index.search("battery", mode="keyword")


def test_older_packs_are_refused_with_the_remedy(pack: Path, tmp_path: Path) -> None:
    older = changed(pack, tmp_path / "old.pack", f"PRAGMA user_version = {VERSION - 1}")
    with pytest.raises(IndexFailure, match=rf"made by an older headnote \(tables {VERSION - 1}, .*headnote pack\)"):
        headnote.open_pack(older)


def test_newer_packs_are_refused_with_the_remedy(pack: Path, tmp_path: Path) -> None:
    database = database_of(pack, tmp_path / "a.db")
    with pytest.raises(NewerIndex, match=r"format 2, this one knows 1\) \(update headnote\)"):
        headnote.open_pack(write_pack(database, tmp_path / "a.pack", layout=2))
    newer = changed(pack, tmp_path / "b.pack", "PRAGMA user_version = 999")
    with pytest.raises(NewerIndex, match="tables 999"):
        headnote.open_pack(newer)


# Strangers


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW extra AS SELECT 1",
        "CREATE TRIGGER extra AFTER INSERT ON links BEGIN SELECT 1; END",
        "CREATE TABLE extra (a)",
        "DROP INDEX chunks_by_hash",
        "DROP TABLE texts; CREATE VIEW texts AS SELECT 1 AS document, 'x' AS text",
    ],
)
def test_tables_of_its_own_are_refused(pack: Path, tmp_path: Path, statement: str) -> None:
    with pytest.raises(CorruptIndex, match="tables of its own"):
        headnote.open_pack(changed(pack, tmp_path / "a.pack", statement))


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../outside.md", "a/../../b.md", "C:/secrets.md", r"\\share\a.md", r"a\..\..\b.md", "a/.."],
)
def test_paths_that_lead_out_are_refused(pack: Path, tmp_path: Path, path: str) -> None:
    statement = f"UPDATE documents SET path = '{path}' WHERE id = 1"
    with pytest.raises(CorruptIndex, match="leads out of it"):
        headnote.open_pack(changed(pack, tmp_path / "a.pack", statement))


def test_a_pack_names_no_service_and_no_file(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with pytest.raises(CorruptIndex, match="is not a model of a pack"):
        headnote.open_pack(changed(pack, tmp_path / "a.pack", models=["openai:text-embedding-3-small"]))
    layers = {"outside": {"store": ["postgresql://evil.example/x", ""]}, "flags": {"counter": ["/etc/passwd", ""]}}
    stored_settings = signed(layers).replace("'", "''")
    hostile = changed(
        pack, tmp_path / "b.pack", f"UPDATE manifest SET value = '{stored_settings}' WHERE key = 'stored_settings'"
    )
    with headnote.open_pack(hostile) as opened:
        assert opened.index_settings.store == "sqlite"
        assert opened.settings.counter == "cl100k"


@pytest.mark.parametrize(
    "description", [{"name": 7}, {"search": {"limit": -1}}, {"search": {"evil": 1}}, {"models": "x"}, {"created": "a"}]
)
def test_a_description_of_another_form_is_damage(pack: Path, tmp_path: Path, description: dict[str, object]) -> None:
    with pytest.raises(CorruptIndex, match="the pack is damaged"):
        headnote.open_pack(changed(pack, tmp_path / "a.pack", **description))


def test_a_text_that_would_fill_the_memory_is_damage(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codec, "_MAX_INFLATED", 1_000_000)
    bomb = (b"\xff" + zlib.compress(bytes(1_000_001), 9)).hex()
    hostile = changed(pack, tmp_path / "a.pack", f"UPDATE texts SET text = x'{bomb}'")
    with headnote.open_pack(hostile) as opened, pytest.raises(CorruptIndex, match=r"does not end.*get the pack again"):
        opened.read(opened.documents()[0])


# Signatures

needs_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signatures need ssh-keygen")


def new_key(place: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place)], check=True)
    return place


@needs_keygen
def test_a_signature_holds_for_its_key_and_its_content(index: Index, pack: Path, tmp_path: Path) -> None:
    key, other = new_key(tmp_path / "key"), new_key(tmp_path / "other")
    info = index.pack(tmp_path / "a.headnote", sign=key)
    listed = subprocess.run(["ssh-keygen", "-l", "-f", f"{key}.pub"], capture_output=True, text=True, check=True)
    assert info.signer in listed.stdout
    assert verify_pack(tmp_path / "a.headnote", f"{key}.pub") == info
    headnote.open_pack(tmp_path / "a.headnote", key=f"{key}.pub").close()
    both = tmp_path / "both.pub"
    both.write_text(Path(f"{other}.pub").read_text() + "# ours\n" + Path(f"{key}.pub").read_text())
    headnote.open_pack(tmp_path / "a.headnote", key=both).close()
    with pytest.raises(CorruptIndex, match="has not signed this pack"):
        headnote.open_pack(tmp_path / "a.headnote", key=f"{other}.pub")
    with pytest.raises(CorruptIndex, match="not signed"):
        headnote.open_pack(pack, key=f"{key}.pub")
    content = (tmp_path / "a.headnote").read_bytes()
    ending = b"END SSH SIGNATURE-----\n"
    signature = content[content.index(b"-----BEGIN SSH") : content.index(ending) + len(ending)]
    database = database_of(pack, tmp_path / "a.db")
    forged = write_pack(database, tmp_path / "b.pack", signature=signature, name="forged")
    assert read_pack_info(forged).signer == info.signer
    with pytest.raises(CorruptIndex, match="has not signed this pack"):
        verify_pack(forged, f"{key}.pub")


@needs_keygen
@pytest.mark.usefixtures("processes")
def test_a_key_that_cannot_sign_is_an_error(index: Index, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("no key")
    with pytest.raises(SettingsError, match="cannot sign"):
        index.pack(tmp_path / "a.headnote", sign=tmp_path / "key")
    with pytest.raises(SettingsError, match="no such key"):
        index.pack(tmp_path / "a.headnote", sign=tmp_path / "none")
    assert not (tmp_path / "a.headnote").exists()


# The command


def test_the_command_makes_shows_and_checks_a_pack(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "h.headnote"
    made = run("pack", folder, "-o", file, "--name", "Handbook", "--version", "2", "--description", "How to measure.")
    assert made.returncode == 0, made.stderr
    assert "Handbook 2" in made.stdout
    info = json.loads(run("pack", "--info", file, "--json").stdout)
    assert (info["name"], info["version"], info["description"]) == ("Handbook", "2", "How to measure.")
    assert info["bytes"] == file.stat().st_size
    verified = run("pack", "--verify", file)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "every byte is as it was packed" in verified.stdout
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    verified = run("pack", "--verify", file)
    assert verified.returncode == 2
    assert "do not match their checksums" in verified.stderr


def test_the_other_commands_take_a_pack(pack: Path, tmp_path: Path) -> None:
    here = tmp_path / "elsewhere.headnote"
    shutil.copy(pack, here)
    found = run("search", "--pack", here, "battery", "--json")
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    assert json.loads(found.stdout)["hits"]
    assert run("ask", "how often do I calibrate?", "--no-model", "--pack", here).returncode == 0
    assert "a pack that is only read" in run("status", "--pack", here).stdout
    assert run("links", "--pack", here).returncode == 0
    outline = run("outline", "--pack", here, "calibration.md")
    assert "Calibration" in outline.stdout
    refused = run("index", here)
    assert refused.returncode == 2
    assert "a pack is only read, and has no folder" in refused.stderr
    both = run("search", "x", "--root", tmp_path, "--pack", here)
    assert "both a folder" in both.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere.headnote"]


def test_a_file_that_is_no_pack_is_not_overwritten(index: Index, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SettingsError, match="exists and is not a pack"):
        index.pack(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


# Interrupted

_STOPS = """
import sys, time
from pathlib import Path
import headnote.extra.packs.making, headnote.extra.packs.making
from headnote import Index

module, name = {"copied": (headnote.extra.packs.making, "_forget_history"), "vacuumed": (headnote.extra.packs.making,
    "write_container"), "signed": (headnote.extra.packs.making, "read_info")}[sys.argv[1]]
original = getattr(module, name)
def stop(*arguments):
    original(*arguments)
    print("there", flush=True)
    time.sleep(60)
setattr(module, name, stop)
Index.open(sys.argv[2]).pack(sys.argv[3])
"""


@pytest.mark.parametrize(
    ("stage", "name", "left"),
    [
        ("copied", "SIGINT", ["b.headnote"]),
        ("copied", "SIGTERM", ["b.headnote"]),
        ("copied", "SIGKILL", ["b.headnote"]),
        ("vacuumed", "SIGKILL", ["b.headnote"]),
        ("signed", "SIGKILL", ["a.headnote", "b.headnote"]),
    ],
)
def test_a_killed_pack_leaves_nothing_behind(
    stage: str, name: str, left: list[str], folder: Path, index: Index, tmp_path: Path
) -> None:
    if not hasattr(os, "O_TMPFILE"):
        pytest.skip("here a file has a name while it is written")
    index.pack(tmp_path / "b.headnote")
    command = [sys.executable, "-c", _STOPS, stage, str(folder), str(tmp_path / "a.headnote")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(getattr(signal, name))
        assert process.wait(60) != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == left
    assert not list(folder.rglob("*.part"))
