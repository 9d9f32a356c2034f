"""A missing framework is a one-line error with its install command."""

from __future__ import annotations

import subprocess
import sys

import pytest

FRAMEWORKS = {
    "langchain": ("langchain_core", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
    "haystack": ("haystack", "haystack"),
}

# None in `sys.modules` tells Python that there is no such package.
TRY = """
import sys
sys.modules[{package!r}] = None
from headnote.errors import MissingExtra
try:
    import headnote.integrations.{module}
except MissingExtra as error:
    print(error)
"""


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_a_missing_framework_names_its_install_command(module: str) -> None:
    package, extra = FRAMEWORKS[module]
    code = TRY.format(package=package, module=module)
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"needs the package {package}" in output
    assert output.endswith(f'(run: pip install "headnote-md[{extra}]")\n')


def test_the_shared_module_needs_no_framework() -> None:
    code = "import sys, headnote.integrations.common; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "headnote.integrations.common" in loaded
    assert {"langchain_core", "llama_index", "haystack", "pydantic", "numpy"}.isdisjoint(loaded)
