"""Swap a folder with a symlink to an outside folder as fast as the system can, until standard input ends.

Usage: ``swapper.py VICTIM OUTSIDE SPARE``, where SPARE is an unused path on the same file system.
The exchange is one system call, so the victim's name always exists; at the end it is the folder again.
Prints the number of swaps, or ends with code 2 where the system or the file system has no such call.
"""

import ctypes
import os
import select
import sys
from pathlib import Path

_HERE = -100
_EXCHANGE = 2
_AT_A_TIME = 500


def main(victim: str, outside: str, spare: str) -> None:
    """Swap until standard input ends (also when whoever started us dies), then put all back."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        sys.exit(2)
    paths = _HERE, os.fsencode(victim), _HERE, os.fsencode(spare), _EXCHANGE
    Path(spare).symlink_to(outside, target_is_directory=True)
    count = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(_AT_A_TIME):
            if libc.renameat2(*paths) != 0:
                print(os.strerror(ctypes.get_errno()), file=sys.stderr)
                sys.exit(2)
        count += _AT_A_TIME
    if Path(victim).is_symlink():
        libc.renameat2(*paths)
    Path(spare).unlink()
    print(count)


if __name__ == "__main__":
    main(*sys.argv[1:])
