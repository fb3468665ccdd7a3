"""Generates `cellwire/aio.py`: the classes of the client with the same methods for asyncio."""

from __future__ import annotations

import ast
import pathlib
import sys

SOURCE = pathlib.Path(__file__).parent.parent / "src" / "cellwire"
TARGET = SOURCE / "aio.py"

HEADER = '''# Generated from _resources.py and _table.py by scripts/make_aio.py.
"""The client for asyncio: the same names, with `await` and `async for`. Calls run in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, List, Literal, Mapping, Optional, Sequence, Union, cast, overload

from ._aio import AsyncRecords, Tasks, bridge_records
from ._follow import Item
from ._resources import Client as SyncClient
from ._resources import Document as SyncDocument
from ._resources import Documents as SyncDocuments
from ._resources import History as SyncHistory
from ._resources import HttpWebhookAnswer, Matrix, WebhookEvent
from ._resources import Proposals as SyncProposals
from ._resources import Sheets as SyncSheets
from ._resources import Webhooks as SyncWebhooks
from ._table import Fields, OnProgress
from ._table import Table as SyncTable
from ._transport import Secret

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as t
'''

CONSTRUCTORS = {
    "Client": '''
    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        attempts: int = 3,
        timeout: float = 30.0,
    ) -> None:
        secret: Any = None if token is None else Secret(token)
        # Tracebacks of later exceptions must not contain the token.
        token = None
        self._sync = SyncClient(url, secret, attempts=attempts, timeout=timeout)
        self._tasks = Tasks()
        self.documents = Documents(self._sync.documents, self._tasks)

    @property
    def address(self) -> str:
        """The address of the API, which ends in `/api/v1`."""
        return self._sync.address

    def document(self, id: str) -> Document:
        """Returns the document with an id, without a request."""
        return Document(self._sync.document(id), self._tasks)

    async def close(self) -> None:
        """Ends all calls with `ConnectionError`."""
        self._sync.close()
        self._tasks.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<cellwire.aio.Client {self.address}>"
''',
    "Document": '''
    def __init__(self, sync: SyncDocument, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks
        self.id = sync.id
        self.sheets = Sheets(sync.sheets, tasks)
        self.history = History(sync.history, tasks)
        self.webhooks = Webhooks(sync.webhooks, tasks)
        self.proposals = Proposals(sync.proposals, tasks)
''',
    "Table": '''
    def __init__(self, sync: SyncTable, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    def __aiter__(self) -> AsyncIterator[Fields]:
        return self._tasks.iterate(lambda: iter(self._sync))
''',
}

PLAIN_CONSTRUCTOR = '''
    def __init__(self, sync: Sync{name}, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks
'''

# Members that are written by hand above.
SKIPPED = {"__init__", "__enter__", "__exit__", "__iter__", "__repr__", "close", "address", "document"}


def main() -> int:
    """Writes `aio.py`, or with `--check` compares it. Returns the exit code."""
    text = generate_module()
    if "--check" in sys.argv:
        return 0 if TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


def generate_module() -> str:
    """Returns the text of `aio.py`."""
    resources = ast.parse((SOURCE / "_resources.py").read_text())
    table = ast.parse((SOURCE / "_table.py").read_text())
    order = ["Table", "Sheets", "History", "Webhooks", "Proposals", "Document", "Documents", "Client"]
    classes = {
        node.name: node for module in (resources, table) for node in module.body if isinstance(node, ast.ClassDef)
    }
    return "\n\n".join([HEADER, *(generate_class(classes[name]) for name in order)])


def generate_class(node: ast.ClassDef) -> str:
    """Returns the class for asyncio with the public methods of a class of the client."""
    head = f'class {node.name}:\n    """{ast.get_docstring(node)}"""\n'
    constructor = CONSTRUCTORS.get(node.name, PLAIN_CONSTRUCTOR.format(name=node.name))
    methods = [
        generate_method(member)
        for member in node.body
        if isinstance(member, ast.FunctionDef) and member.name not in SKIPPED and not member.name.startswith("_")
    ]
    return "\n".join([head.rstrip("\n"), constructor.rstrip("\n"), *methods, ""])


def generate_method(node: ast.FunctionDef) -> str:
    """Returns the method for asyncio that runs a method of the client in a thread."""
    arguments = ast.unparse(node.args)
    returns = ast.unparse(node.returns) if node.returns else "None"
    if any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list):
        return f"\n    @overload\n    async def {node.name}({arguments}) -> {returns}: ..."
    call = f"self._sync.{node.name}({format_call_arguments(node.args)})"
    if returns == "Any":
        # The method has overloads, which a call with any options does not select.
        call = call.replace("self._sync", "cast(Any, self._sync)")
    text = f"\n    {{kind}} {node.name}({arguments}) -> {returns}:\n"
    text += f'        """{format_docstring(node)}"""\n'
    if node.name == "table":
        return text.replace("{kind}", "def") + f"        return Table({call}, self._tasks)\n"
    if returns == "Following":
        text = text.replace("-> Following", "-> Iterator[Item]")
        returns = "Iterator[Item]"
    if returns.startswith("Iterator["):
        text = text.replace("-> Iterator[", "-> AsyncIterator[")
        runner = "follow" if node.name == "follow" else "iterate"
        return text.replace("{kind}", "def") + f"        return self._tasks.{runner}(lambda: {call})\n"
    if "records: Records" in text:
        text = text.replace("records: Records", "records: AsyncRecords")
        text = text.replace("{kind}", "async def") + "        bridged = bridge_records(records, batch)\n"
        return text + f"        return await self._tasks.run(lambda: {call.replace('(records', '(bridged', 1)})\n"
    return text.replace("{kind}", "async def") + f"        return await self._tasks.run(lambda: {call})\n"


def format_docstring(node: ast.FunctionDef) -> str:
    """Returns the docstring of a method with the indentation of the generated file."""
    lines = (ast.get_docstring(node) or "").split("\n")
    text = "\n".join([lines[0], *(f"        {line}" if line else "" for line in lines[1:])])
    return text.rstrip() + ("\n        " if len(lines) > 1 else "")


def format_call_arguments(arguments: ast.arguments) -> str:
    """Returns the arguments that pass all parameters on."""
    positional = [argument.arg for argument in arguments.args if argument.arg != "self"]
    keywords = [f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs]
    options = [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    return ", ".join([*positional, *keywords, *options])


if __name__ == "__main__":
    sys.exit(main())
