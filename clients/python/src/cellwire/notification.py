"""The body of a notification."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union


class Author(TypedDict):
    """The user or program that made the changes."""

    id: int
    name: str


class Workspace(TypedDict):
    """The workspace of the document."""

    id: int
    name: str


class _NotifiedCell(TypedDict):
    sheetName: str
    ref: str
    row: int
    col: int
    v: Union[str, int, float, bool, None]
    m: str
    f: Optional[str]
    t: str


class NotifiedCell(_NotifiedCell, total=False):
    """A changed cell with its new value."""

    derived: bool


class _DocumentUpdated(TypedDict):
    schemaVersion: str
    event: str
    source: str
    sourceToken: Optional[str]
    documentId: Optional[str]
    documentTitle: Optional[str]
    documentUrl: Optional[str]
    workspace: Optional[Workspace]
    revision: Dict[str, int]
    changedAt: Optional[str]
    authors: List[Author]
    cellCount: int
    changes: str
    ranges: List[str]
    cells: List[NotifiedCell]
    truncated: bool
    deliveryId: str
    attempt: int
    deliveredAt: Optional[str]


class DocumentUpdated(_DocumentUpdated, total=False):
    """A notification of changes of a document."""

    records: List[Dict[str, Any]]
    structure: List[Dict[str, Any]]
    test: bool
