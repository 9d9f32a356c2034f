"""examples/postgres, which docker compose starts: its files fit together, and on a real server behind a real pgbouncer
they do what docs/postgres.md says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from index_states import write
from pooler import free_port, running
from postgres_server import run_program

pytest_plugins = ("store_fixtures",)
psycopg = pytest.importorskip("psycopg", reason="PostgreSQL is asked through psycopg")
yaml = pytest.importorskip("yaml", reason="the file of docker compose is YAML")

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "postgres"
PASSWORDS = {"WRITER_PASSWORD": "to write", "READER_PASSWORD": "it's secret"}


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((EXAMPLE / "compose.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def settings() -> ConfigParser:
    parser = ConfigParser()
    parser.read(EXAMPLE / "pgbouncer.ini")
    return parser


def test_the_file_is_one_of_docker_compose() -> None:
    pytest.importorskip("check_jsonschema", reason="it brings the schema of compose files")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    result = subprocess.run([*command, str(EXAMPLE / "compose.yaml")], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_images_have_a_version(compose: Any) -> None:
    images = {name: service["image"] for name, service in compose["services"].items()}
    assert re.fullmatch(r"pgvector/pgvector:0\.[89]\.\d+-pg\d+", images["database"])
    assert re.fullmatch(r"edoburu/pgbouncer:v1\.\d+\.\d+-p\d+", images["pooler"])


def test_files_that_are_mounted_are_there(compose: Any) -> None:
    mounts = [mount for service in compose["services"].values() for mount in service["volumes"]]
    files = {mount.split(":")[0].removeprefix("./") for mount in mounts if mount.startswith("./")}
    assert files == {file.name for file in EXAMPLE.iterdir()} - {"compose.yaml"}
    volumes = {mount.split(":")[0] for mount in mounts if not mount.startswith("./")}
    assert volumes == set(compose["volumes"])


def test_the_pooler_leads_to_the_database(compose: Any, settings: ConfigParser) -> None:
    database, pooler = compose["services"]["database"], compose["services"]["pooler"]
    address = dict(pair.split("=") for pair in settings["databases"]["headnote"].split())
    assert address == {"host": "database", "port": "5432", "dbname": database["environment"]["POSTGRES_DB"]}
    assert pooler["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert database["ports"] == ["127.0.0.1:5432:5432"]
    assert pooler["ports"] == [f"127.0.0.1:{port}:{port}" for port in [settings["pgbouncer"]["listen_port"]]]
    assert pooler["configs"] == [{"source": "users", "target": settings["pgbouncer"]["auth_file"]}]


def test_the_database_is_healthy_when_others_can_reach_it(compose: Any) -> None:
    """While the image runs roles.sql, its server listens on a socket only, and is stopped afterwards."""
    database = compose["services"]["database"]
    test, environment = database["healthcheck"]["test"], database["environment"]
    assert test[:2] == ["CMD", "pg_isready"]
    given = dict(zip(test[2::2], test[3::2], strict=True))
    assert given == {"-h": "localhost", "-U": environment["POSTGRES_USER"], "-d": environment["POSTGRES_DB"]}


def test_every_password_is_asked_for_and_given_to_the_pooler(compose: Any) -> None:
    text = (EXAMPLE / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)", text)) == set(PASSWORDS)
    assert set(re.findall(r"\$\{(\w+):\?", text)) == set(PASSWORDS)
    users = re.findall(r'"(\w+)" "', compose["configs"]["users"]["content"])
    assert users == [compose["services"]["database"]["environment"]["POSTGRES_USER"], "headnote_reader"]


@pytest.fixture
def database(postgres_server: str, compose: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The folder of the socket of a server that has run what the image runs when it is new."""
    names = compose["services"]["database"]["environment"]
    user, name = names["POSTGRES_USER"], names["POSTGRES_DB"]
    socket = parse_qs(urlsplit(postgres_server).query)["host"][0]
    monkeypatch.setenv("READER_PASSWORD", PASSWORDS["READER_PASSWORD"])
    monkeypatch.setenv("PGPASSWORD", PASSWORDS["WRITER_PASSWORD"])
    with psycopg.connect(postgres_server, autocommit=True) as administrator:
        administrator.execute(f"CREATE ROLE {user} SUPERUSER LOGIN PASSWORD '{PASSWORDS['WRITER_PASSWORD']}'")
        administrator.execute(f"CREATE DATABASE {name} OWNER {user}")
        try:
            arguments = ["-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-h", socket, "-U", user, "-d", name]
            run_program("psql", *arguments, "-f", str(EXAMPLE / "roles.sql"))
            yield socket
        finally:
            administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")
            administrator.execute(f"DROP ROLE IF EXISTS headnote_reader; DROP ROLE {user}")


@pytest.fixture
def pool(database: str, compose: Any) -> Iterator[int]:
    """The port of a pgbouncer with the files of the example, but for addresses."""
    port = free_port()
    settings = (EXAMPLE / "pgbouncer.ini").read_text(encoding="utf-8")
    for there, here in {
        "host=database": f"host={database}",
        "listen_addr = *": "listen_addr = 127.0.0.1\nunix_socket_dir =",
        "listen_port = 6432": f"listen_port = {port}",
        "/etc/pgbouncer/userlist.txt": "{folder}/userlist.txt",
    }.items():
        assert settings.count(there) == 1
        settings = settings.replace(there, here)
    users = compose["configs"]["users"]["content"]
    for name, password in PASSWORDS.items():
        users = users.replace(f"${{{name}}}", password)
    with running(database, port, {"pgbouncer.ini": settings, "userlist.txt": users}):
        yield port


def documented() -> list[str]:
    """The commands that docs/postgres.md gives, once the containers run."""
    page = (ROOT / "docs" / "postgres.md").read_text(encoding="utf-8")
    section = page.partition("## With docker compose\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)
    before, up, after = block.partition("docker compose up -d")
    assert before.splitlines()[-1].startswith("export WRITER_PASSWORD=")
    assert up
    return [line for line in after.splitlines()[1:] if line]


def test_the_commands_of_the_page_index_and_search(database: str, pool: int, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"disks.md": "# Disks\n\nHow to mount a disk.\n"})
    home = {"HOME": str(tmp_path), "HEADNOTE_EMBEDDER": "hashing:16"}
    environment = {**os.environ, **PASSWORDS, **home}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    script = "\n".join(documented())
    assert script.count("localhost:6432") == 2
    script = script.replace("localhost:6432", f"127.0.0.1:{pool}").replace(
        "direct=localhost:5432", f"direct={database}"
    )

    def run(lines: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-ec", lines], env=environment, capture_output=True, text=True, check=False)

    result = run(script)
    assert result.returncode == 0, result.stderr
    assert "disks.md" in result.stdout
    refused = run(script.replace("$READER_PASSWORD", "guessed"))
    assert refused.returncode == 2
    assert "check the user, and its password" in refused.stderr
    write(tmp_path / "docs", {"new.md": "# New\n"})
    written = run(script.replace("headnote@", "headnote_reader@").replace("$WRITER_PASSWORD", "$READER_PASSWORD"))
    assert written.returncode == 2
    assert "the role headnote_reader may read this index, not write it" in written.stderr
