"""What is said about folders travels in a pack, and a pack of several folders keeps them apart."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pack_samples import changed, database_of, description_of, run, write_pack

import headnote
from headnote import CorruptIndex, Index, SettingsError
from headnote.api import read_pack_info, trust_folder
from headnote.extra.packs.unpacking import verify_pack

PAGES = {
    "payments/docs/runbooks/refund.md": "# Refund a payment\n\nOpen the ledger and reverse it: see [[Who decides]].\n",
    "payments/docs/runbooks/broken.md": "# Broken\n\nA [page](gone.md) that is gone.\n",
    "payments/docs/archive/cheque.md": "# Refund a payment\n\nWrite a cheque.\n",
    "notes/Who decides.md": "# Who decides\n\nAna; the [runbook](../payments/docs/runbooks/refund.md) says how.\n",
}
HOME = """
[roots.payments]
path = "../payments/docs"
max_tokens = 300

[roots.notes]
path = "../notes"

[context]
"." = "Everything we know."
"payments/runbooks" = "Current way of the payment team."
"payments/archive" = "Before 2020; superseded."
"payments/secret" = "Where the quokka lives."
"""
QUERIES = ["refund a payment", "current way to refund", "superseded", "who decides", "cheque before 2020"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("several")
    for path, text in {**PAGES, "kb/headnote.toml": HOME}.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    trust_folder(place / "kb")
    return place / "kb"


@pytest.fixture(scope="module")
def index(home: Path) -> Iterator[Index]:
    with Index.open(home, embedder="instant") as opened:
        opened.update()
        yield opened


@pytest.fixture(scope="module")
def pack(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("shelf") / "kb.headnote"
    index.pack(file)
    return file


@pytest.fixture
def opened(pack: Path) -> Iterator[Index]:
    with headnote.open_pack(pack) as index:
        yield index


@pytest.mark.parametrize("roots", [None, "payments", ["notes"], ["notes", "payments"]])
@pytest.mark.parametrize("query", QUERIES)
def test_hits_say_what_they_are_about_and_score_as_in_the_folders(
    index: Index, opened: Index, query: str, roots: str | list[str] | None
) -> None:
    found = index.search(query, roots=roots, min_score=0.0)
    assert opened.search(query, roots=roots, min_score=0.0) == found
    assert found
    assert all(hit.about.startswith("Everything we know.") for hit in found)
    assert all(hit.root == hit.path.partition("/")[0] for hit in found)


def test_sentences_count_in_a_pack(opened: Index) -> None:
    said = {hit.path: hit for hit in opened.search("current way to refund a payment")}
    current, superseded = said["payments/runbooks/refund.md"], said["payments/archive/cheque.md"]
    assert current.about == "Everything we know. Current way of the payment team."
    assert superseded.about == "Everything we know. Before 2020; superseded."
    assert current.why.about > superseded.why.about == 1.0


def test_a_pack_of_a_single_folder_has_its_sentences(tmp_path: Path, repository: Path) -> None:
    folder = tmp_path / "handbook"
    shutil.copytree(repository / "examples" / "handbook", folder, ignore=shutil.ignore_patterns(".headnote"))
    (folder / "headnote.toml").write_text('[context]\n"calibration.md" = "How sensors are set to zero."\n')
    with Index.open(folder, embedder="instant") as source:
        source.update()
        source.pack(tmp_path / "h.headnote")
        with headnote.open_pack(tmp_path / "h.headnote") as packed:
            for query in ("set sensors to zero", "calibrate", "battery"):
                assert packed.search(query) == source.search(query)
            assert packed.contexts == source.contexts
            assert packed.search("calibrate")[0].root == ""
            with pytest.raises(SettingsError, match="an index of one folder"):
                packed.search("calibrate", roots="notes")


def test_links_lead_from_folder_to_folder(index: Index, opened: Index) -> None:
    refund = "payments/runbooks/refund.md"
    assert [link.resolved for link in opened.links(refund)] == ["notes/Who decides.md"]
    assert [link.path for link in opened.backlinks(refund)] == ["notes/Who decides.md"]
    assert opened.graph() == index.graph()
    assert opened.broken_links() == index.broken_links()
    assert [link.path for link in opened.broken_links()] == ["payments/runbooks/broken.md"]
    assert opened.document(refund).root == "payments"


def test_a_folder_that_is_not_there_is_named(opened: Index) -> None:
    with pytest.raises(SettingsError, match=r"no root 'note' \(.*notes"):
        opened.search("refund", roots="note")


def test_the_status_counts_what_each_folder_has(opened: Index) -> None:
    status = opened.status()
    assert [(root.name, root.documents, root.problem) for root in status.folders] == [
        ("notes", 1, ""),
        ("payments", 3, ""),
    ]
    assert status.contexts["payments/archive"] == "Before 2020; superseded."


def test_where_folders_are_and_what_is_said_of_nothing_stays_here(home: Path, pack: Path) -> None:
    data = pack.read_bytes()
    for secret in (str(home.parent), "quokka", "payments/secret"):
        assert secret.encode() not in data, secret
    info = read_pack_info(pack)
    assert info.roots == ("notes", "payments")
    assert list(info.contexts) == ["", "payments/archive", "payments/runbooks"]
    assert verify_pack(pack) == info


def test_a_pack_from_before_there_were_roots_and_sentences_opens(index: Index, pack: Path, tmp_path: Path) -> None:
    description = description_of(pack)
    del description["roots"], description["contexts"]
    older = write_pack(database_of(pack, tmp_path / "a.db"), tmp_path / "a.headnote", **description)
    with headnote.open_pack(older) as opened:
        assert opened.documents() == index.documents()
        assert opened.search("refund")[0].about == ""


@pytest.mark.parametrize(
    "description",
    [
        {"roots": "payments"},
        {"roots": ["payments", 7]},
        {"roots": ["payments", "no/tes"]},
        {"roots": ["payments", ".."]},
        {"roots": ["payments", "notes", "Notes"]},
        {"roots": ["payments"]},
        {"contexts": ["payments"]},
        {"contexts": {"payments": 7}},
        {"contexts": {"payments": "x" * 501}},
        {"contexts": {"payments": " "}},
        {"contexts": {"../payments": "outside"}},
        {"contexts": {f"f{number}": "one of many" for number in range(1001)}},
    ],
)
def test_roots_and_sentences_of_another_form_are_damage(
    pack: Path, tmp_path: Path, description: dict[str, object]
) -> None:
    with pytest.raises(CorruptIndex, match="the pack is damaged"):
        headnote.open_pack(changed(pack, tmp_path / "a.pack", **description))


def test_the_command_makes_one_of_a_home_and_asks_a_folder_of_it(home: Path, pack: Path, tmp_path: Path) -> None:
    file = tmp_path / "kb.headnote"
    made = run("pack", home, "-o", file)
    assert made.returncode == 0, made.stderr
    assert "notes, payments" in made.stdout
    assert "3 sentences" in made.stdout
    assert file.read_bytes() == pack.read_bytes()
    found = run("search", "--pack", file, "refund", "--in", "payments", "--json")
    assert found.returncode == 0, found.stderr
    hits = json.loads(found.stdout)["hits"]
    assert {hit["root"] for hit in hits} == {"payments"}
    said = {hit["path"]: hit["about"] for hit in hits}
    assert said["payments/runbooks/refund.md"] == "Everything we know. Current way of the payment team."
    everywhere = run("search", "--pack", file, "who decides")
    assert "notes/Who decides.md" in everywhere.stdout
    assert "Everything we know." in everywhere.stdout
    wrong = run("search", "--pack", file, "refund", "--in", "note")
    assert wrong.returncode == 2
    assert "no root 'note'" in wrong.stderr
    status = run("status", "--pack", file).stdout
    assert "a pack that is only read" in status
    assert "3 documents" in status


def test_the_shell_completes_folders_of_a_pack(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_HEADNOTE_COMPLETE", "bash_complete")
    monkeypatch.setenv("_HEADNOTE_LINE", f"headnote search --pack {pack} refund --in n")
    assert run().stdout.split() == ["values", "notes"]


def test_an_agent_asks_a_folder_of_a_pack(pack: Path) -> None:
    pytest.importorskip("mcp", reason='needs the SDK: pip install "headnote-md[mcp]"')
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = ["-m", "headnote", "mcp", "--pack", str(pack)]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            assert "payment team" not in (client.instructions or ""), "a stranger gives no instructions"
            asked = {"query": "refund", "roots": ["payments"], "structured": True}
            found = await client.call_tool("search", asked)
            assert found.structured_content
            hits = found.structured_content["hits"]
            assert {hit["root"] for hit in hits} == {"payments"}
            said = {hit["path"]: hit["about"] for hit in hits}
            assert said["payments/runbooks/refund.md"] == "Everything we know. Current way of the payment team."
            status = await client.call_tool("status", {"structured": True})
            assert status.structured_content
            assert [root["problem"] for root in status.structured_content["roots"]] == ["", ""]
            assert len(status.structured_content["contexts"]) == 3

    asyncio.run(session())
