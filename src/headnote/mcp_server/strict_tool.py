"""Tools that accept exactly what their schema allows: a typo is an error, never ignored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headnote.answer.prompt import as_data
from headnote.chunking.settings import nearest
from headnote.extras import importing, install

with importing("the MCP server", install("search", "mcp")):
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
    from mcp.types import ToolAnnotations
    from pydantic import ConfigDict, ValidationError

READ_ONLY = ToolAnnotations(read_only_hint=True)


class StrictTool(Tool):
    """A tool that reports wrong arguments by name, in one line."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            raise ToolError(self._complaint(error)) from None
        return await super().run(arguments, context, convert_result)

    def _complaint(self, error: ValidationError) -> str:
        known = list(self.fn_metadata.arg_model.model_fields)
        complaints: dict[str, None] = {}
        for detail in error.errors(include_url=False, include_input=False, include_context=False):
            name = as_data(_argument(detail["loc"]))[:80]
            if detail["type"] == "extra_forbidden":
                complaints[f"unknown argument {name} ({nearest(name, known)})"] = None
            elif detail["type"] == "string_unicode":
                complaints[f"{name}: not Unicode: lone surrogate"] = None
            elif detail["type"] == "missing":
                complaints[f"{name}: this argument is missing"] = None
            else:
                complaints[f"{name}: {as_data(detail['msg'])}"] = None
        return f"{self.name}: {'; '.join(complaints)}"


def _argument(place: tuple[int | str, ...]) -> str:
    """Which argument is wrong, and where in it. Of one that may be of several types, the place also names the type that
    was tried, which is a word and no place: an argument of ours has no fields of its own."""
    first, *inside = place
    return ".".join([str(first), *(str(part) for part in inside if isinstance(part, int))])


def strict_tool(function: Callable[..., Any], description: str) -> Tool:
    """The function as a tool, by its name and its annotations."""
    # Without structured output by default: the SDK would send every text twice.
    tool = StrictTool.from_function(function, description=description, annotations=READ_ONLY, structured_output=False)
    lenient = tool.fn_metadata.arg_model
    config = ConfigDict(extra="forbid", strict=True)
    strict: type[ArgModelBase] = type(lenient.__name__, (lenient,), {"model_config": config})
    tool.fn_metadata.arg_model = strict
    tool.parameters = strict.model_json_schema(by_alias=True)
    return tool
