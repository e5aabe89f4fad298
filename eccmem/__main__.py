"""``python -m eccmem`` is the ``eccmem`` command."""

from eccmem.cli import run

if __name__ == "__main__":
    run()
