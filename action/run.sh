#!/usr/bin/env bash
# The step of action.yml: installs this very revision of eccmem, finds out what to judge, and judges it.
#
# It takes everything from variables, and what an event says is data: an object id that Git knows, or nothing.
# The exit codes are those of eccmem doctor. bash 3.2 is enough, which is what macOS has.
set -euo pipefail
unset CDPATH

readonly USAGE=2 CANNOT_RUN=3
readonly DEEPER="commits that would tell are not here: give actions/checkout fetch-depth: 0"

main() {
  local code=0 sarif=$RUNNER_TEMP/eccmem.sarif
  trap 'printf "exit-code=%s\n" "$?" >>"$GITHUB_OUTPUT"' EXIT
  [ "${RUNNER_OS:-}" != Windows ] || stop $CANNOT_RUN "this action runs on Linux and macOS"
  [[ $INPUT_SARIF =~ ^(true|false)$ ]] || stop $USAGE "the input sarif is true or false"
  cd -- "$GITHUB_WORKSPACE" || stop $CANNOT_RUN "the workspace is not there"
  cd -- "$INPUT_WORKING_DIRECTORY" || stop $USAGE "the folder of the input working-directory is not there"
  git rev-parse --git-dir >/dev/null || stop $CANNOT_RUN "Git has no repository here: put actions/checkout before"
  install
  choose
  doctor "--format=$INPUT_FORMAT" || code=$?
  # A report of what could not be judged would close every alert that it does not mention.
  if [ "$INPUT_SARIF" = true ] && [ $code -le 1 ]; then
    doctor --format=sarif --exit-zero "--output=$sarif" || exit
    printf 'sarif-file=%s\ntop=%s\n' "$sarif" "$(git rev-parse --show-toplevel)" >>"$GITHUB_OUTPUT"
  fi
  exit $code
}

doctor() { "$venv/bin/eccmem" doctor "${what[@]}" "--fail-on=$INPUT_FAIL_ON" "$@"; }

# Ends the step with an exit code and a reason, also out of a $(substitution) whose output is taken.
stop() {
  printf '::error title=eccmem::%s\n' "$2" >&2
  exit "$1"
}

notice() { printf '::notice title=eccmem::%s\n' "$1"; }

# --- Install ---------------------------------------------------------------------------------------------------

# Python runs isolated (-I): a file json.py or pip.py in the repository that is judged must not be imported.
install() {
  venv=$RUNNER_TEMP/eccmem-venv
  # A second use in a job finds it ready; the action's path has its revision in it.
  if [ -f "$venv/installed-from" ] && [ "$(<"$venv/installed-from")" = "$GITHUB_ACTION_PATH" ]; then return; fi
  printf '::group::Install eccmem\n'
  "$INPUT_PYTHON" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop $CANNOT_RUN "Python 3.11 or newer is needed: put actions/setup-python before, or name one as the input python"
  "$INPUT_PYTHON" -I -m venv --clear "$venv" || stop $CANNOT_RUN "Python cannot make a virtual environment"
  "$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH" ||
    stop $CANNOT_RUN "eccmem could not be installed"
  printf '%s' "$GITHUB_ACTION_PATH" >"$venv/installed-from"
  printf '::endgroup::\n'
}

# --- What to judge ---------------------------------------------------------------------------------------------

# Sets `what`: the options of eccmem doctor that say it.
choose() {
  what=()
  [ -z "$INPUT_RANGE" ] || what+=("--range=$INPUT_RANGE")
  [ -z "$INPUT_REV" ] || what+=("--rev=$INPUT_REV")
  if [ -z "$INPUT_RANGE$INPUT_REV" ]; then
    case $GITHUB_EVENT_NAME in
      pull_request | pull_request_target) pull_request ;;
      push) push ;;
      merge_group) merge_group ;;
      *) rev HEAD ;;
    esac
  fi
  [ -z "$INPUT_BASE" ] || what+=("--base=$INPUT_BASE")
}

range() {
  if [ -z "$1" ] || [ -z "$2" ]; then stop $CANNOT_RUN "$DEEPER"; fi
  what=("--range=$1..$2")
}

rev() {
  local id
  id=$(commit "$1")
  [ -n "$id" ] || stop $CANNOT_RUN "there is no commit to judge: put actions/checkout before"
  what=("--rev=$id")
}

pull_request() {
  local first
  ids pull_request.base.sha pull_request.head.sha
  if [ -z "$new" ] || [ "$(commit HEAD^2)" != "$new" ]; then
    range "$old" "$new"
    return
  fi
  # Checked out is GitHub's merge of the pull request: compared with its first parent it is the change, and nothing
  # that others did meanwhile.
  first=$(commit HEAD^1)
  if is_whole "$first" HEAD; then
    range "$first" "$(commit HEAD)"
  else
    notice "the sum of the pull request is judged, not each of its commits: for that, give actions/checkout fetch-depth: 0"
    rev HEAD
    [ -n "$INPUT_BASE" ] || what+=("--base=$first")
  fi
}

push() {
  local main tip start
  ids before after
  main=$(event repository.default_branch)
  if [ -n "$old" ] && [ -n "$new" ] && git merge-base --is-ancestor "$old" "$new"; then
    range "$old" "$new"
    return
  fi
  # What the branch was before is not known: it is new, or was rewritten.
  if [ -z "$new" ] || is_shallow; then stop $CANNOT_RUN "$DEEPER"; fi
  if [ "${GITHUB_REF:-}" = "refs/heads/$main" ]; then
    [[ $(event before) =~ ^0+$ ]] ||
      stop $CANNOT_RUN "the default branch was rewritten: whether it lost a published memory is for a person to see"
    notice "nothing older is there to compare with: the state of the branch is judged, not each of its commits"
    rev "$new"
    return
  fi
  tip=$(commit "refs/remotes/origin/$main")
  [ -n "$tip" ] || stop $CANNOT_RUN "the default branch is not here to compare with: fetch it, or name the input range"
  start=$(git merge-base "$tip" "$new") || [ $? -eq 1 ] || stop $CANNOT_RUN "Git cannot compare the default branch"
  if [ -z "$start" ]; then
    notice "the default branch has no past in common: the state of this one is judged, not each of its commits"
  fi
  if [ -z "$start" ] || [ "$start" = "$new" ]; then rev "$new"; else range "$start" "$new"; fi
}

merge_group() {
  ids merge_group.base_sha merge_group.head_sha
  range "$old" "$new"
}

# --- What Git and the event say --------------------------------------------------------------------------------

# Sets `old` and `new`: the commits that two fields of the event name.
ids() {
  old=$(event_commit "$1")
  new=$(event_commit "$2")
}

# The commit whose id is in a field of the event; nothing when it is no id, or the commit is not here.
event_commit() {
  local id
  id=$(event "$1") || exit
  if [[ $id =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then commit "$id"; fi
}

# The commit that a name stands for; nothing where there is none.
commit() { git rev-parse --verify --quiet --end-of-options "$1^{commit}" || true; }

# A text in the event's JSON by its path, such as pull_request.head.sha; nothing where there is none.
event() {
  "$venv/bin/python" -I -c '
import json, sys
try:
    with open(sys.argv[1], encoding="utf-8") as file:
        value = json.load(file)
except (OSError, ValueError):
    sys.exit(1)
for key in sys.argv[2].split("."):
    value = value.get(key) if isinstance(value, dict) else None
print(value if isinstance(value, str) else "")' "${GITHUB_EVENT_PATH:-}" "$1" ||
    stop $CANNOT_RUN "the event cannot be read: name the input range or rev"
}

is_shallow() { [ "$(git rev-parse --is-shallow-repository)" = true ]; }

# Whether no history ends between two commits; where it does, eccmem refuses to judge what lies between.
is_whole() {
  local ends
  is_shallow || return 0
  ends=$(git rev-list "$1..$2" | grep -cxFf "$(git rev-parse --git-path shallow)") || true
  [ "$ends" = 0 ]
}

main
