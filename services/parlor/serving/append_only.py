"""What a Redis that was killed in the middle of a write leaves at the end of its append-only file.

Redis writes what a script has done between MULTI and EXEC, and at its start passes over a transaction
whose EXEC is missing. But where the cut is inside a command it keeps the complete ones before it in the
file (seen in 8.2), so that the next transaction comes to stand behind them: the start after that
carries out both, and what nobody was told of is there after all. A room's log then had the line of a
move that was never made, in place of the one that was acknowledged.
"""

from pathlib import Path
from typing import Final

import hiredis

_CHUNK: Final = 1 << 20


def mend(directory: Path) -> int:
    """Cuts an unfinished transaction or command off the file in a server's `directory`, before it starts.

    Gives how many bytes that were; 0 where all is whole, or there is no such file. One that is damaged in
    another way is left as it is, for Redis to refuse.
    """
    manifest = directory / "appendonlydir" / "appendonly.aof.manifest"
    if not manifest.is_file():
        return 0
    # Such as "file appendonly.aof.2.incr.aof seq 2 type i"; the newest comes last.
    files = [line.split()[1] for line in manifest.read_text().splitlines() if " type i" in line]
    if not files:
        return 0
    newest = manifest.with_name(files[-1])
    try:
        whole = _whole(newest)
    except hiredis.ProtocolError:
        return 0
    size = newest.stat().st_size
    if whole < size:
        with newest.open("r+b") as file:
            file.truncate(whole)
    return size - whole


def _whole(path: Path) -> int:
    """How many bytes hold whole commands and whole transactions."""
    reader = hiredis.Reader()
    read = whole = 0
    is_open = False
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            reader.feed(chunk)
            while (command := reader.gets()) is not False:
                read += _length(command)
                name = command[0].upper()
                is_open = name == b"MULTI" or (is_open and name != b"EXEC")
                if not is_open:
                    whole = read
    return whole


def _length(command: list[bytes]) -> int:
    """How many bytes it takes in the file."""
    words = sum(len(word) + len(str(len(word))) + len("$\r\n\r\n") for word in command)
    return words + len(str(len(command))) + len("*\r\n")
