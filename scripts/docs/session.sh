# The shell that runs the commands of a page. Reads the names of command files from descriptor 3, one per line, and
# writes the exit status of each to descriptor 4. DOCS_STATE is the directory of the runner.
set -o pipefail
state=$DOCS_STATE
unset DOCS_STATE
docs_servers=()

# docs_start TARGET LABEL COMMAND…: starts a background command in a separate process group, as in another terminal.
# TARGET says whether Ctrl-C goes to its "first" process or to the whole "group".
docs_start() {
local target=$1 label=$2 log
  shift 2
  log=$(mktemp "$state/background.XXXXXX")
  set -m
  "$@" >"$log" 2>&1 </dev/null 3<&- 4>&- &
  set +m
  docs_log=$log docs_pid=$!
[[ $target == first ]] && docs_servers+=("$! $label") || docs_servers+=("-$! $label")
}

docs_subshell() {
  set -e
  . "$1"
}

# docs_await TEXT: waits until the last started command has printed the text or has exited.
docs_await() {
  until grep -qF -- "$1" "$docs_log"; do
    if ! kill -0 "$docs_pid" 2>/dev/null; then
      cat "$docs_log"
      wait "$docs_pid"
      return
    fi
    sleep 0.1
  done
  cat "$docs_log"
}

# Moves a chatd server to the background once it is ready. Starting the same server again stops the first one.
docs_serve() {
  local label=$* server
  for server in "${docs_servers[@]}"; do
    [[ ${server#* } != "$label" ]] || docs_end "${server%% *}"
  done
# Only to the first process: npm and run.mjs forward it, and a second Ctrl-C makes the server exit immediately.
  docs_start first "$label" command "$@"
  docs_await 'ready at'
}

docs_end() {
  kill -INT -- "$1" 2>/dev/null || return 0
  wait "${1#-}" 2>/dev/null || true
}

ctrl_c() {
  local server
  for server in "${docs_servers[@]}"; do docs_end "${server%% *}"; done
  docs_servers=()
}

npm() {
  case " $* " in
    ' start '* | ' run chatd -- serve '* | ' run -s chatd -- serve '*) docs_serve npm "$@" ;;
    *) command npm "$@" ;;
  esac
}

chatd() {
  case "$1" in
    serve) docs_serve chatd "$@" ;;
    *) command chatd "$@" ;;
  esac
}

# HTTP errors are failures.
curl() {
  command curl --fail-with-body "$@"
}

if [[ $EUID == 0 ]] && ! command -v sudo >/dev/null; then
  sudo() { "$@"; }
fi

# Presses Ctrl-C for the foreground commands once TEXT is in OUTPUT.
docs_press() {
  local text=$1 output=$2 shell=$3 own child
  until grep -qF -- "$text" "$output"; do sleep 0.1; done
  touch "$state/pressed"
  own=$(docs_group "$shell")
  for child in $(cat "/proc/$shell/task/$shell/children"); do
    if [[ $child != "$BASHPID" && $(docs_group "$child") == "$own" ]]; then kill -INT "$child"; fi
  done
}

docs_group() {
  local stat
  stat=$(cat "/proc/$1/stat")
  stat=${stat##*) }
  set -- $stat
  echo "$3"
}

# Commands ended by Ctrl-C have not failed.
docs_failed() {
  if [[ -e $state/pressed && $1 == 130 ]]; then return; fi
  [[ -e $state/failed ]] || printf '%s\n' "$1" "$2" "$3" >"$state/failed"
}

docs_finish() {
  echo "$1" >&4
}

while IFS= read -r -u 3 docs_name; do
  rm -f "$state/pressed" "$state/failed"
  . "$state/$docs_name.settings"
  docs_output=$state/$docs_name.output
  : >"$docs_output"
  docs_status=0
  case $docs_mode in
    run)
      trap 'docs_failed $? $LINENO "$BASH_COMMAND"' ERR
      set -e
      . "$state/$docs_name.sh" >"$docs_output" 2>&1 <"$docs_input" 3<&- 4>&-
      set +e
      trap - ERR
      ;;
    ctrl-c)
      docs_press "$docs_text" "$docs_output" $$ </dev/null >/dev/null 2>&1 3<&- 4>&- &
      docs_watcher=$!
      trap 'docs_failed $? $LINENO "$BASH_COMMAND"' ERR
      . "$state/$docs_name.sh" >"$docs_output" 2>&1 <"$docs_input" 3<&- 4>&-
      trap - ERR
      kill "$docs_watcher" 2>/dev/null
      wait "$docs_watcher" 2>/dev/null
      ;;
    background)
      docs_start group "$docs_name" docs_subshell "$state/$docs_name.sh"
      docs_await "$docs_text" >"$docs_output" 2>&1
      docs_status=$?
      ;;
    any-status)
      . "$state/$docs_name.sh" >"$docs_output" 2>&1 <"$docs_input" 3<&- 4>&-
      docs_status=$?
      ;;
    end)
      ctrl_c
      docs_finish 0
      exit 0
      ;;
  esac
  docs_finish "$docs_status"
done
