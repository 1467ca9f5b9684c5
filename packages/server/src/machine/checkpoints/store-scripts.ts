import { LEFT_OUT } from './store-files.ts';

/*
 * Shell scripts of the store. Paths are ended by NUL. An empty path separates lists. A record is a tree with the entries
 * `files`, `folders` (a list of empty folders), and if there are any: `large` (a list of files that are too large), and
 * `modes` (a tree of unusual permissions).
 */

/** Paths that are not in the index (folders without any indexed file end with a slash), then indexed paths to check. */
export const SCAN = `rm -f "$GIT_DIR/index.lock" "$GIT_DIR/modes.lock"
indexed=$(mktemp)
git diff-files -z --name-only >"$indexed" &
git ls-files -z --others --directory --exclude-standard
printf '\\0'
wait "$!"
cat "$indexed"
rm -f "$indexed"`;

const leftOut = LEFT_OUT.map((name) => `-name ${name}`).join(' -o ');

/** The files below folders that are not in the index; then all folders below them, and nested `.git`. */
export const EXPAND = `in=$(mktemp)
cat >"$in"
xargs -0 git ls-files -z --others --exclude-standard -- <"$in"
printf '\\0'
xargs -0 sh -c 'find "$@" \\( ${leftOut} \\) -prune -o -name .git -print0 -prune -o -type d -print0 || :' sh <"$in"
rm -f "$in"`;

export const SET_ENTRIES = 'GIT_INDEX_FILE=$GIT_DIR/$1 git update-index -z --index-info';

/**
 * Permissions first: if it is interrupted, the index still reports the files as changed. $1: big file threshold, or 0 if
 * no file is added; $2: values of the permissions in descriptor 4, or "none".
 */
export const UPDATE = `if [ "$2" != none ]; then
  for mode in $2; do printf '%s' "$mode" | git hash-object -w --no-filters --stdin >/dev/null; done
  GIT_INDEX_FILE=$GIT_DIR/modes git update-index -z --index-info <&4
fi
if [ "$1" != 0 ]; then git -c core.bigFileThreshold="$1" update-index --add --remove --replace -z --stdin; fi`;

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** After UPDATE. $3: name of the record; $4: base; $5, $6: not empty if descriptor 3 has folders, and 5 large files. */
export const RECORD = `${UPDATE}
list() { printf '100644 blob %s\\t%s\\n' "$(git hash-object -w --no-filters --stdin)" "$1"; }
files=$(git write-tree)
tree=$({
  printf '040000 tree %s\\tfiles\\n' "$files"
  if [ -n "$5" ]; then list folders <&3; fi
  if [ -n "$6" ]; then list large <&5; fi
  if [ -e "$GIT_DIR/modes" ]; then
    modes=$(GIT_INDEX_FILE=$GIT_DIR/modes git write-tree)
    if [ "$modes" != ${EMPTY_TREE} ]; then printf '040000 tree %s\\tmodes\\n' "$modes"; fi
  fi
} | git mktree)
git update-ref "refs/checkpoints/$3" "$tree"
printf '%s\\0' "$tree"
if [ -n "$4" ] && base=$(git rev-parse --quiet --verify "$4:files"); then
  printf '1\\0'
  git diff-tree -r -z --raw --numstat --find-renames --no-ext-diff --no-textconv "$base" "$files"
fi`;

export const CHANGES = `git diff-tree -r -z --raw --numstat --find-renames --no-ext-diff --no-textconv "$1:files" "$2:files"`;
export const PATCH = `git diff-tree -r -p --no-color --find-renames --no-ext-diff --no-textconv "$1:files" "$2:files"`;

/** The paths that differ between $1 and $2, then those between $2 and $3 with their status. */
export const COMPARE = `if [ -n "$1" ] && git rev-parse --quiet --verify "$1:files" >/dev/null; then
  git diff-tree -r -z --name-only --no-renames "$1:files" "$2:files"
fi
printf '\\0'
git diff-tree -r -z --name-status --no-renames "$2:files" "$3:files"`;

/** All entries below the folders in the input that are no folders. */
export const CONTENTS = `xargs -0 sh -c 'find "$@" ! -type d -print0 || :' sh`;

/** What a restore of $2 has to do if $1 is the present: changed paths with their status, and both records' lists. */
export const PLAN = `entry() {
  printf '\\0'
  if git rev-parse --quiet --verify "$2:$3" >/dev/null; then git $1 "$2:$3"; fi
}
git diff-tree -r -z --name-status --no-renames "$1:files" "$2:files"
entry 'cat-file blob' "$1" folders
entry 'cat-file blob' "$2" folders
entry 'cat-file blob' "$2" large
entry 'ls-tree -r -z' "$1" modes
entry 'ls-tree -r -z' "$2" modes`;

/**
 * Works on a copy of the index: if it is interrupted, the next scan sees every difference. Files that are not in $1 are
 * deleted last, and only if its rules do not ignore them. $2: "checked" refuses files that changed since the index was
 * written. Input: empty folders to remove; descriptors 3: files to delete (with ./), 4: their folders, 5: empty folders to create,
 * 6: permissions, a colon, and the path of their file, 7: all files that are not in $1.
 */
export const RESTORE = `umask 022
index=$(mktemp)
cp "$GIT_DIR/index" "$index"
export GIT_INDEX_FILE="$index"
if [ "$2" = checked ] && ! git diff-files --quiet; then
  rm -f "$index"
  printf changed
  exit 0
fi
deleted=$(mktemp)
LC_ALL=C sort -z <&3 >"$deleted"
xargs -0 -r rmdir -p -- 2>/dev/null || :
git update-index -z --force-remove --stdin <&7
git read-tree --reset -u "$1:files"
if [ -s "$deleted" ]; then
  ignored=$(mktemp)
  GIT_LITERAL_PATHSPECS=0 git check-ignore -z --no-index --stdin <"$deleted" >"$ignored" || [ $? = 1 ]
  LC_ALL=C sort -z "$ignored" | LC_ALL=C comm -z -23 "$deleted" - | xargs -0 -r rm -f --
  xargs -0 -r rmdir -p -- <&4 2>/dev/null || :
  rm -f "$ignored"
fi
xargs -0 -r mkdir -p -- <&5 2>/dev/null || :
xargs -0 -r sh -c 'for file; do chmod -- "\${file%%:*}" "\${file#*:}" || :; done' sh <&6
rm -f "$index" "$deleted"`;

/** Copies the record $2 from the store at $SOURCE, under the name $1. */
export const COPY = `printf '%s\\n' "$2" | GIT_DIR=$SOURCE git pack-objects --quiet --revs --stdout |
  git index-pack --stdin >/dev/null
git update-ref "refs/checkpoints/$1" "$2"`;

export const LIST = `git for-each-ref --format='%(refname:lstrip=2)' refs/checkpoints/`;

export const DELETE = `sed 's|^|delete refs/checkpoints/|' | git update-ref --stdin
rm -f "$GIT_DIR/gc.pid" "$GIT_DIR/packed-refs.lock"
git gc --quiet --prune=now`;
