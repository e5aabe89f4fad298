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

# The history of one memory. All commits are held in memory at once, some hundred bytes each.
HISTORY_COMMITS = 1_000_000
# A commit is a few hundred bytes; what one of this size claims is not worth the memory.
COMMIT_BYTES = 1024 * 1024
# A memory changes once or twice in its life: so many versions, and lines changed at once, are compared one by one.
COMPARED_VERSIONS = 200
COMPARED_LINES = 100

# The environment and the command line.
ROOT_OVERRIDE_CHARS = 4096
STDIN_RETRY_SECONDS = 5.0
# An echo of something typed or stored by others stays readable on one line.
SHOWN_CHARS = 200
# An error names so many vault paths; the doctor names all.
NAMED_PATHS = 3

# Git answers in milliseconds; a minute means that it waits for something that never comes.
GIT_SECONDS = 60
# One process of Git reads so many blobs, so that a minute is enough for it.
BLOBS_AT_ONCE = 10_000
# A file of the team scope that is no memory is searched for secrets up to here; a larger one is an error.
SEARCHED_BYTES = 4 * 1024 * 1024
# Text in disguise (base64, hex) is decoded up to so many characters of each searched text.
DECODED_BYTES = 256 * 1024
# A shorter value of a variable is a word that a memory may need.
KNOWN_CHARS = 12
# And compares so many commits with their parents: a first push of a long history has to get through.
COMMITS_AT_ONCE = 1000
# Where so many paths lie is remembered: several checks ask for each.
SPOTS = 65_536
DEMO_SECONDS = 60
# Git's own small files: a guard is 16 bytes, a pointer one path; a larger one is not what we look for.
GUARD_BYTES = 4096
POINTER_BYTES = 8192
EXCLUDE_BYTES = 1024 * 1024
# A hook is a script, the configuration of a hook manager a few hundred lines that nest a few levels deep.
HOOK_FILE_BYTES = 1024 * 1024

# Reports for other programs. Code scanning shows so many results, and takes 10 MB compressed.
REPORT_FINDINGS = 5000
REPORT_BYTES = 8 * 1024 * 1024
# A longer path cannot be opened anywhere; a tree can hold one all the same.
REPORT_PATH_CHARS = 4096
# A step of GitHub Actions shows so many annotations of a kind, and takes a summary of 1 MiB.
GITHUB_ANNOTATIONS = 10
SUMMARY_FINDINGS = 100
