"""Documents to run commands on, with nothing from outside that would change what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

GUIDE = """\
---
title: Guide
tags: [a]
---

# Guide

Intro with a [link](other.md#there).

## Code

```python
one = 1
two = 2
three = 3
four = 4
```
"""


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE, encoding="utf-8")
    return Path("guide.md")


@pytest.fixture
def handbook(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(repository)
    return Path("examples/handbook")
