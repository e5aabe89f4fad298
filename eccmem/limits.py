"""Every bound eccmem keeps, by name, with its reason.

Hitting one is always reported, never silent: documents are refused, scans say that they were cut short.
The limits of a document are the format's (``ecc.memory.v1``) and may not change; the others are ours.
"""

# The format's. Titles count UTF-16 units, because its first implementation is JavaScript; bodies count UTF-8.
BODY_BYTES = 64 * 1024
DOCUMENT_BYTES = 128 * 1024
TITLE_UNITS = 200
ID_CHARS = 132
SLUG_CHARS = 64
TAGS = 32
LINKS = 64
TARGETS = 32

# One scan. The reference stops at 5,000 entries and 16 MiB, which a busy team reaches in a year.
WALK_DEPTH = 8
SCAN_ENTRIES = 250_000
SCAN_BYTES = 1024 * 1024 * 1024

# The search index. Below so many files a scan takes a tenth of a second, and leaves nothing behind.
INDEX_FILES = 500
# So many changed files are scored in memory in the time that a walk over a vault of that size takes anyway.
OVERLAY_FILES = 256
# A cache larger than any that the bounds of a scan can give is not ours.
INDEX_BYTES = 4 * 1024 * 1024 * 1024
# The cache of a vault that is gone is deleted by the next build after so many days.
INDEX_DAYS = 90

# One answer.
QUERY_CHARS = 500
RESULTS = 100
DEFAULT_RESULTS = 20
DIAGNOSTICS = 100
EXCERPT_CHARS = 240

# The environment and the command line.
ROOT_OVERRIDE_CHARS = 4096
STDIN_RETRY_SECONDS = 5.0
# An echo of something typed or stored by others stays readable on one line.
SHOWN_CHARS = 200
# An error names so many vault paths; the doctor names all.
NAMED_PATHS = 3

# Git answers in milliseconds; a minute means that it waits for something that never comes.
GIT_SECONDS = 60
DEMO_SECONDS = 60
# Git's own small files: a guard is 16 bytes, a pointer one path; a larger one is not what we look for.
GUARD_BYTES = 4096
POINTER_BYTES = 8192
EXCLUDE_BYTES = 1024 * 1024
