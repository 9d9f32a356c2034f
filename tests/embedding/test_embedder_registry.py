"""Names of embedders: the embedder behind each, or an error with a remedy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from model_packages import MODELS

from headnote.embedding import NAMES, Embedder, Models, get_embedder, get_models, registry
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.instant import InstantEmbedder
from headnote.embedding.openai import OpenAIEmbedder
from headnote.embedding.sentence_transformers import SentenceTransformersEmbedder
from headnote.embedding.transformer import TransformerEmbedder
from headnote.errors import MissingExtra, MissingKey, SettingsError
from headnote.extras import load


def test_none_has_rows_of_zero_width() -> None:
    embedder = get_embedder("none")
    assert embedder.name == "none"
    assert embedder.dimensions == 0
    assert embedder.embed(["a", "b"]).shape == (2, 0)
    assert embedder.embed_query("a").shape == (0,)


@pytest.mark.parametrize(("name", "dimensions"), [("hashing", 256), ("hashing:7", 7), (" hashing:64 ", 64)])
def test_hashing_of_any_size(name: str, dimensions: int) -> None:
    embedder = get_embedder(name)
    assert isinstance(embedder, HashingEmbedder)
    assert embedder.embed(["a"]).shape == (1, dimensions)
    assert get_embedder(embedder.name).name == embedder.name


def test_an_embedder_object_is_returned() -> None:
    embedder = HashingEmbedder(3)
    assert isinstance(embedder, Embedder)
    assert get_embedder(embedder) is embedder


def test_the_rest_of_the_name_is_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("HEADNOTE_EMBEDDING_URL", raising=False)
    openai = get_embedder("openai:org/model:tag")
    assert isinstance(openai, OpenAIEmbedder)
    assert openai.name == "openai:org/model:tag"
    local = get_embedder("sentence-transformers:org/model")
    assert isinstance(local, SentenceTransformersEmbedder)
    assert local.name == "sentence-transformers:org/model"


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("minillm", "did you mean minilm?"),
        ("MiniLM", "did you mean minilm?"),
        ("minilm:large", "did you mean minilm?"),
        ("openai", "write openai:MODEL"),
        ("opnai:text", "did you mean openai:MODEL?"),
        ("sentence-transformers:", "write sentence-transformers:MODEL"),
        ("sentence_transformer:x", "did you mean sentence-transformers:MODEL?"),
        ("non", "did you mean none?"),
        ("hash", "did you mean hashing?"),
        ("hashing:many", "as in hashing:64"),
        ("hashing:0", "at least 1"),
        ("instnt", "did you mean instant?"),
        ("instant:256", "did you mean instant?"),
        ("word2vec-xyz", "known: default, instant, deep"),
        ("", "known: default, instant, deep"),
    ],
)
def test_a_wrong_name_is_one_line_with_the_nearest_name(wrong: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        get_embedder(wrong)
    assert remedy in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_other_objects_are_refused() -> None:
    with pytest.raises(SettingsError, match="is not an embedder"):
        get_embedder(7)  # type: ignore[arg-type]


def test_openai_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HEADNOTE_EMBEDDING_KEY", "HEADNOTE_EMBEDDING_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingKey, match="set OPENAI_API_KEY"):
        get_embedder("openai:text-embedding-3-small")


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = get_embedder("sentence-transformers:org/model")
    with pytest.raises(MissingExtra, match=r'pip install "headnote-md\[sentence-transformers\]"'):
        embedder.embed(["text"])


@pytest.mark.parametrize("name", ["deep", "minilm", "quality"])
def test_a_missing_model_says_how_to_get_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"headnote_{name}", None)
    with pytest.raises(MissingExtra, match=rf'pip install "headnote-md\[deep\]" headnote-md-{name}'):
        TransformerEmbedder(name)


def test_a_package_without_weights_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = MODELS / "quality" / "src" / "headnote_quality" / "__init__.py"
    package = tmp_path / "headnote_quality"
    package.mkdir()
    (package / "__init__.py").write_bytes(source.read_bytes())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "headnote_quality", raising=False)
    with pytest.raises(MissingExtra, match=r"models/quality/README\.md"):
        TransformerEmbedder("quality")


def test_a_missing_runtime_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r'pip install "headnote-md\[deep\]"'):
        TransformerEmbedder("minilm").embed(["text"])


# ── both models of a name ──


def install(monkeypatch: pytest.MonkeyPatch, *models: str) -> None:
    """As if these models had packages here, and no others."""
    for model in ("deep", "minilm", "quality"):
        package: Any = None
        if model in models:
            package = ModuleType(f"headnote_{model}")
            package.__spec__ = ModuleSpec(f"headnote_{model}", None)
            package.FINGERPRINT = "123"
        monkeypatch.setitem(sys.modules, f"headnote_{model}", package)
    registry._packaged.cache_clear()


@pytest.fixture(autouse=True)
def _real_models_afterwards() -> Iterator[None]:
    yield
    registry._packaged.cache_clear()


def names_of(models: Models) -> tuple[str | None, str | None]:
    instant, deep = ((model.name.partition(":")[0] if model else None) for model in models)
    return instant, deep


def test_the_default_has_a_deep_model_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert names_of(get_models()) == names_of(get_models("default")) == ("instant", None)
    install(monkeypatch, "minilm", "quality")
    assert names_of(get_models()) == ("instant", None)
    install(monkeypatch, "deep")
    assert names_of(get_models()) == ("instant", "deep")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # what runs it is missing
    assert names_of(get_models()) == ("instant", None)


@pytest.mark.parametrize("name", ["deep", "minilm", "quality"])
def test_a_model_with_a_package_has_the_instant_one_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, name)
    assert names_of(get_models(name)) == ("instant", name)
    assert get_embedder(name) is get_models(name).deep
    assert get_models(name).deep is get_models(f" {name} ").deep


def test_instant_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "deep")
    models = get_models("instant")
    assert isinstance(models.instant, InstantEmbedder)
    assert models.deep is None
    assert get_embedder("instant") is models.instant is get_models().instant


def test_other_embedders_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    given = HashingEmbedder(3)
    assert get_models(given) == Models(instant=None, deep=given)
    for name in ("hashing:8", "openai:model", "sentence-transformers:org/model"):
        assert names_of(get_models(name)) == (None, name.partition(":")[0])
    assert get_models("none") == Models(None, None)


def test_a_missing_extra_of_a_model_with_a_package_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    with pytest.raises(MissingExtra, match="headnote-md-quality"):
        get_models("quality")


def test_a_missing_package_is_named() -> None:
    with pytest.raises(MissingExtra, match="a purpose needs the package no_such_package"):
        load("no_such_package", "a purpose", "pip install it")


def test_every_name_is_documented() -> None:
    import headnote.embedding

    assert all(f"`{name}`" in str(headnote.embedding.__doc__) for name in NAMES)
