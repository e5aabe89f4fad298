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
# So many memories of an answer are folded under others that say the same; each is read for that.
COPIES = 200

# What a harness is told when it starts. Claude Code cuts at 10,000 characters, Codex at 2,500 tokens, which are about
# 10,000 bytes: both have to be kept.
BRIEFING_CHARS = 8000
BRIEFING_BYTES = 9500
BRIEFING_TITLE_CHARS = 120
BRIEFING_FOLDERS = 12

# The history of one memory. All commits are held in memory at once, some hundred bytes each.
HISTORY_COMMITS = 1_000_000
# A commit is a few hundred bytes; what one of this size claims is not worth the memory.
COMMIT_BYTES = 1024 * 1024
# A memory changes once or twice in its life: so many versions, and lines changed at once, are compared one by one.
COMPARED_VERSIONS = 200
COMPARED_LINES = 100

# A harness's configuration, which people write by hand.
CONFIG_BYTES = 1024 * 1024

# The environment and the command line.
ROOT_OVERRIDE_CHARS = 4096
STDIN_RETRY_SECONDS = 5.0
# An editor that is a program, and not a person, must come to an end.
EDITED_TIMES = 20
# An echo of something typed or stored by others stays readable on one line.
SHOWN_CHARS = 200
# So much of an object id is shown to people: enough to be the only one in a repository of any size.
SHORT_OID = 12
# An error names so many vault paths; the doctor names all.
NAMED_PATHS = 3

# The MCP server. A call is a few kilobytes, and the largest document that may be saved has 128 KiB.
MESSAGE_BYTES = 1024 * 1024
# More calls at once are no work but a fault of the client; each further one is refused at once.
PENDING_CALLS = 64
PENDING_BYTES = 4 * 1024 * 1024
# A client that does not say which folders it has open is one that has none.
ROOTS_SECONDS = 2.0
# When the client is gone, a call that is almost done may end; harnesses kill what stays longer than two seconds.
LAST_CALLS_SECONDS = 1.2
# A client that hung up and reads no more gets so long to take what is being written.
LAST_WORDS_SECONDS = 0.5
# After the handshake the client asks for the tools; the SDK is loaded when nothing more came for so long.
IDLE_SECONDS = 0.05
# So many indexes stay open between searches: the scopes of a few checkouts.
OPEN_INDEXES = 8

# Git answers in milliseconds; a minute means that it waits for something that never comes.
GIT_SECONDS = 60
# One process of Git reads so many blobs, so that a minute is enough for it.
BLOBS_AT_ONCE = 10_000
# A file of the team scope that is no memory is searched for secrets up to here; a larger one is an error.
SEARCHED_BYTES = 4 * 1024 * 1024
# `eccmem secrets` searches whole repositories: a larger file is said to be unsearched.
SEARCHED_FILE_BYTES = 64 * 1024 * 1024
# A long text is searched in pieces of so many characters, each of which begins with the end of the one before: the
# longest thing that is looked for, a private key, is much shorter than that.
SEARCHED_CHARS = 1024 * 1024
SEARCHED_OVERLAP = 64 * 1024
# So many secrets are named, each of which takes some 40 ms; whoever has more knows what to do.
LEAKS = 1000
# A list of exceptions that is longer than this is none.
ALLOWED_SECRETS = 1000
# Text in disguise (base64, hex) is decoded up to so many characters of each searched text.
DECODED_BYTES = 256 * 1024
# A shorter value of a variable is a word that a memory may need.
KNOWN_CHARS = 12
# And compares so many commits with their parents: a first push of a long history has to get through.
COMMITS_AT_ONCE = 1000
# Commits that others have, none below another, that a history joins and is compared with: usually one, two in a merge.
PUBLISHED_STATES = 32
# So many places of the index are asked for by name; for more, all of it.
LISTED_PATHS = 500
# Where so many paths lie is remembered: several checks ask for each.
SPOTS = 65_536
DEMO_SECONDS = 60
# Git's own small files: a guard is 16 bytes, a pointer one path; a larger one is not what we look for.
GUARD_BYTES = 4096
POINTER_BYTES = 8192
EXCLUDE_BYTES = 1024 * 1024
# A hook is a script, the configuration of a hook manager a few hundred lines that nest a few levels deep.
HOOK_FILE_BYTES = 1024 * 1024

# Governed documents. The longest real ones, proposals of protocols, have some 300 KiB.
ARTIFACT_BYTES = 1024 * 1024
# Statuses stand at the top, or in a section of their own.
ARTIFACT_LINES = 20_000
ARTIFACT_LINE_CHARS = 4096
ARTIFACT_HEAD_LINES = 60
ARTIFACT_FIELDS = 64
ARTIFACT_TITLE_CHARS = 200
ARTIFACT_RAW_CHARS = 160
# The same document cannot have been replaced by more in earnest.
ARTIFACT_SUCCESSORS = 16
# No folder of documents lies deeper.
ARTIFACT_DEPTH = 64
# Frontmatter and sidecars are a few lines; with these bounds nothing that they hold can grow.
FRONTMATTER_CHARS = 32 * 1024
FRONTMATTER_DEPTH = 16
YAML_EVENTS = 4096
# Which documents are governed may be said in so many files of a repository, by so many names.
ARTIFACT_CONFIGS = 200
ARTIFACT_PATTERNS = 64

# Reports for other programs. Code scanning shows so many results, and takes 10 MB compressed.
REPORT_FINDINGS = 5000
REPORT_BYTES = 8 * 1024 * 1024
# A longer path cannot be opened anywhere; a tree can hold one all the same.
REPORT_PATH_CHARS = 4096
# A step of GitHub Actions shows so many annotations of a kind, and takes a summary of 1 MiB.
GITHUB_ANNOTATIONS = 10
SUMMARY_FINDINGS = 100
