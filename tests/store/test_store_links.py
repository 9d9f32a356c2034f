"""The graph of links. Every store passes these."""

from __future__ import annotations

from store_samples import entry, link, put

from headnote.store.interface import Store

pytest_plugins = ("store_fixtures",)


def linked(store: Store) -> None:
    """a → b (a section of it), b → c.png, c → nowhere and the web, d alone, e → itself."""
    links = {
        "a.md": [link("a.md", "b.md", "b.md", fragment="x", section="x", resolved_chunk=0)],
        "b.md": [link("b.md", "c.png", "c.png", kind="image")],
        "c.md": [link("c.md", "gone.md"), link("c.md", "https://example.org", external=True)],
        "d.md": [],
        "e.md": [link("e.md", "", "e.md", fragment="top", section="top")],
    }
    put(store, *(entry(path, f"# {path}")._replace(links=rows) for path, rows in links.items()))


def targets(store: Store, path: str) -> list[str | None]:
    with store.reading() as reader:
        return [one.resolved for one in reader.links_from(path)]


def test_links_are_found_from_both_ends(store: Store) -> None:
    linked(store)
    with store.reading() as reader:
        assert [one.target for one in reader.links_from("c.md")] == ["gone.md", "https://example.org"]
        assert [(one.path, one.section, one.resolved_chunk) for one in reader.links_to("b.md")] == [("a.md", "x", 0)]
        assert [one.path for one in reader.links_to("e.md")] == ["e.md"]
        assert [one.path for one in reader.links()] == ["a.md", "b.md", "c.md", "c.md", "e.md"]


def test_only_loose_links_may_be_broken(store: Store) -> None:
    linked(store)
    more = [link("f.md", "b.md", "b.md", fragment="lost"), link("f.md", "b.md", "b.md"), link("f.md", "", "f.md")]
    put(store, entry("f.md", "f")._replace(links=more))
    with store.reading() as reader:
        loose = [(one.path, one.target, one.fragment) for one in reader.loose_links()]
    assert loose == [("b.md", "c.png", ""), ("c.md", "gone.md", ""), ("f.md", "b.md", "lost")]


def test_targets_from_the_top_are_counted(store: Store) -> None:
    rows = [link("a.md", target) for target in ("/b", "/b", "/", "b", "https://x", "0/b", "/ü")]
    put(store, entry("a.md", "a")._replace(links=[*rows, link("a.md", "//host", external=True)]))
    with store.reading() as reader:
        assert reader.targets_from_top() == {"/b": 2, "/": 1, "/ü": 1}


def test_heads_are_documents_without_their_texts(store: Store) -> None:
    row = entry("b.md", "text").document._replace(metadata={"slug": "x"}, aliases=("y",))
    put(store, entry("b.md", "text")._replace(document=row), entry("a.md", "text"))
    with store.reading() as reader:
        first, second = reader.heads()
    assert (first.path, second.path, second.metadata, second.aliases) == ("a.md", "b.md", {"slug": "x"}, ("y",))


def test_connections_are_pairs_of_documents_each_once(store: Store) -> None:
    linked(store)
    more = [link("f.md", "b.md", "b.md"), link("f.md", "b.md", "b.md", fragment="x"), link("f.md", "a.md", "a.md")]
    put(store, entry("f.md", "f")._replace(links=more))
    with store.reading() as reader:
        assert reader.connections() == [("a.md", "b.md"), ("f.md", "a.md"), ("f.md", "b.md")]
        links = {one.path: one.links for one in reader.summaries()}
    assert links == {"a.md": 2, "b.md": 2, "c.md": 0, "d.md": 0, "e.md": 0, "f.md": 2}


def test_orphans_are_on_no_road(store: Store) -> None:
    linked(store)
    with store.reading() as reader:
        assert reader.orphans() == ["c.md", "d.md", "e.md"]


def test_links_to_what_is_removed_lead_nowhere(store: Store) -> None:
    linked(store)
    with store.writing() as writer:
        writer.remove(["b.md"])
    assert targets(store, "a.md") == [None]
    with store.reading() as reader:
        assert reader.links_to("b.md") == []
    assert store.check() == []


def test_links_to_what_is_renamed_wait_to_be_resolved(store: Store) -> None:
    linked(store)
    with store.writing() as writer:
        writer.rename("b.md", "z.md")
        assert [one.resolved for one in writer.links_from("a.md")] == [None]
        writer.set_links({"a.md": [link("a.md", "z.md", "z.md")]})
    assert targets(store, "a.md") == ["z.md"]
    assert targets(store, "z.md") == ["c.png"]
    assert store.check() == []


def test_links_into_what_is_replaced_forget_the_chunk(store: Store) -> None:
    linked(store)
    put(store, entry("b.md", "other"))
    with store.reading() as reader:
        (one,) = reader.links_to("b.md")
    assert (one.resolved, one.section, one.resolved_chunk) == ("b.md", "x", None)
    assert store.check() == []


def test_links_of_a_document_that_is_not_there_are_not_kept(store: Store) -> None:
    with store.writing() as writer:
        writer.set_links({"never.md": [link("never.md", "b.md")]})
    with store.reading() as reader:
        assert reader.links() == []


def test_chunks_lead_to_chunks_of_other_documents(store: Store) -> None:
    linked(store)
    with store.reading() as reader:
        ids = {path: reader.chunks_of(path)[0].id for path in reader.document_paths()}
        everything = [ids[path] for path in ("e.md", "c.md", "b.md", "a.md")]
        assert reader.linked_chunks(everything) == [(ids["a.md"], ids["b.md"])]
        assert reader.linked_chunks([]) == []


def test_the_links_in_chunks_are_those_of_their_documents_that_begin_there(store: Store) -> None:
    linked(store)
    with store.reading() as reader:
        chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
        for chosen in ([], chunks[:1], chunks[::2], chunks):
            places = {(chunk.path, chunk.row.number) for chunk in chosen}
            expected = [link for link in reader.links() if (link.path, link.chunk) in places]
            assert reader.links_in([chunk.id for chunk in chosen]) == expected


def test_chunks_know_which_chunks_of_other_documents_lead_to_them(store: Store) -> None:
    pages = [
        entry(f"{name}.md", f"# {name}\n\nOne.\n\n# Two\n\nTwo.\n", boundaries="heading", min_tokens=0)
        for name in "abc"
    ]
    whole, section = link("a.md", "c.md", "c.md"), link("b.md", "c.md", "c.md", chunk=1, resolved_chunk=1)
    own = link("c.md", "c.md", "c.md")
    put(
        store,
        *(page._replace(links=links) for page, links in zip(pages, ([whole, whole], [section], [own]), strict=True)),
    )
    with store.reading() as reader:
        (a, _), (_, b), (first, second) = ([chunk.id for chunk in reader.chunks_of(f"{name}.md")] for name in "abc")
        assert reader.linking_chunks([second, first]) == [(second, a), (second, b), (first, a)]
        assert reader.linking_chunks([a]) == []
