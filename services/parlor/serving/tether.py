"""Child processes that end when their parent does, however it ended.

A parent killed with SIGKILL cannot stop anything, and an orphaned redis-server would keep its port
and its folder.
"""

import os
import signal
import sys
from collections.abc import Sequence

# Linux tells the child itself, and the setting outlives exec. It is made in a small process of its
# own that becomes the command, because code between fork and exec (`preexec_fn`) can deadlock in a
# process with threads, and gRPC has some.
_LEASH = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
if hasattr(libc, "prctl"):
    libc.prctl(1, int(sys.argv[1]))
    if os.getppid() != int(sys.argv[2]):
        sys.exit("the parent is gone")
os.execv(sys.argv[3], sys.argv[3:])
"""


def tethered(command: Sequence[str], ends_by: signal.Signals = signal.SIGTERM) -> list[str]:
    """`command`, an absolute path and its arguments, such that it gets `ends_by` when this process
    is gone.

    It is the thread that starts it that counts: start it from one that lives as long as the
    process. Only Linux can do this; elsewhere the command runs untethered.
    """
    return [sys.executable, "-ISc", _LEASH, str(int(ends_by)), str(os.getpid()), *command]
