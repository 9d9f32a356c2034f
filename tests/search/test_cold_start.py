"""What a search loads: a folder that did not change is searched without anything that reads Markdown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import headnote

CODE = """
import sys
import headnote
with headnote.Index.open({root!r}, embedder="none") as index:
    assert index.update().plan.is_empty
    assert index.search("gauge")
print(*(name for name in sys.modules if name.startswith(("headnote.markdown.scanner", "headnote.chunking.passes"))))
"""


def test_nothing_that_reads_markdown_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Gauges\n\nA gauge measures.\n")
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update()
    result = subprocess.run([sys.executable, "-c", CODE.format(root=str(tmp_path))], capture_output=True, text=True)
    assert (result.returncode, result.stdout.strip(), result.stderr) == (0, "", "")
