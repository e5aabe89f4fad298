"""Exit codes, and the one exception that becomes one of them.

A problem in the user's files is a :class:`~eccmem.finding.Finding`, a value.
What is raised here stops a command: the draft was refused, the command line was wrong, or the machine would
not let us do the work.
The sentence to remember: 1 is your files, 2 is your command, 3 is your machine, 70 is us.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process ends with; the table in ``docs/reference/exit-codes.md`` is tested against this."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT_RUN = 3
    BUG = 70
    INTERRUPTED = 130


class EccmemError(Exception):
    """The work could not be done, and why.

    Attributes:
        slug: a stable word for programs (``docs/reference/errors.md`` lists them all).
        message: one sentence, without memory text, secrets or paths of the machine.
        hint: what to do next, often a command; may be empty.
    """

    exit_code = ExitCode.CANNOT_RUN

    def __init__(self, slug: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.hint = hint


class Refused(EccmemError):
    """Nothing is wrong with the machine: this input is not taken, or this memory is not there."""

    exit_code = ExitCode.FINDINGS


class Bug(EccmemError):
    """Anything that is not the person's files, command or machine; says only which kind of error it was."""

    exit_code = ExitCode.BUG

    def __init__(self, error: Exception) -> None:
        kind = type(error).__name__
        super().__init__("bug", f"eccmem failed ({kind}); this is our fault", "set ECCMEM_DEBUG=1 and report it")


class UsageProblem(EccmemError):
    """The command line does not say what to do."""

    exit_code = ExitCode.USAGE
