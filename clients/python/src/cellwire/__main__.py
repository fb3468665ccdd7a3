"""`python -m cellwire`: prints the version, the address and the scopes of the token."""

from __future__ import annotations

import sys

from ._errors import CellwireError
from ._resources import Client
from ._version import __version__


def main() -> int:
    """Prints the version of the client, the address of the service and the scopes of the token. Returns the exit code."""
    try:
        client = Client()
        scopes = client.userinfo()["scopes"]
    except CellwireError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"cellwire {__version__}")
    print(client.address)
    print(" ".join(scopes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
