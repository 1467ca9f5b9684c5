import type { WorkspaceDiff } from '@chatd/protocol';
import type { HostedWorkspace } from '../../machine/machine.ts';
import { runScript } from '../../machine/git/run-script.ts';
import { type ChangedFile, counts, parseChanges } from './parse-diff.ts';

export type RepositoryDiff = WorkspaceDiff['repositories'][number];

const MAX_FILES = 1000;
const MAX_PATCH_BYTES = 512 * 1024;
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_UNTRACKED = 200;
const MAX_UNTRACKED_BYTES = 256 * 1024;

/** Disables programs that the configuration of a repository could start. */
const GIT = `git() {
  command git -c core.fsmonitor=false -c core.quotePath=true -c core.hooksPath=/dev/null -c diff.external= "$@"
}
export GIT_OPTIONAL_LOCKS=0
cd "$1" || exit 3
base=$2
`;

const HEAD = `${GIT}
head=$(git rev-parse --verify --quiet HEAD)
branch=$(git symbolic-ref --short --quiet HEAD)
if [ -z "$base" ]; then
  base=$(git merge-base HEAD origin/HEAD 2>/dev/null) || base=$(git hash-object -t tree /dev/null)
elif ! git cat-file -e "$base" 2>/dev/null; then
  base=$(git hash-object -t tree /dev/null)
fi
printf '%s\\n%s\\n%s\\n' "$head" "$branch" "$base"`;

const CHANGES = `${GIT}
git diff --raw --numstat -z --no-ext-diff --no-textconv --find-renames "$base" --`;

const UNTRACKED = `${GIT}
git ls-files --others --exclude-standard -z`;

const PATCH = `${GIT}
git diff --no-color --no-ext-diff --no-textconv --find-renames "$base" --`;

/** Line counts or patches of untracked files. */
const NEW_FILES = `${GIT}
mode=$3
shift 3
for file; do
  if [ "$(wc -c < "$file" 2>/dev/null || echo 0)" -gt ${MAX_UNTRACKED_BYTES} ]; then
    [ "$mode" = numbers ] && printf -- '-\\t-\\n'
    continue
  fi
  if [ "$mode" = numbers ]; then
    git diff --no-index --no-ext-diff --no-textconv --numstat -- /dev/null "$file" | cut -f 1,2 | grep . || printf '0\\t0\\n'
  else
    git diff --no-index --no-color --no-ext-diff --no-textconv -- /dev/null "$file"
  fi
done`;

/** The changes in a repository since a commit. Default: since it diverged from its origin. */
export async function repositoryDiff(
  workspace: HostedWorkspace,
  path: string,
  baseline: string,
  signal: AbortSignal,
): Promise<RepositoryDiff> {
  const ask = (script: string, limit: number, ...args: string[]) =>
    runScript(workspace, script, args, { limit, signal });
  const about = await ask(HEAD, 4096, path, baseline);
  const [head = '', branch = '', base = ''] = about.stdout.toString('utf8').split('\n');
  const [changes, others] = await Promise.all([
    ask(CHANGES, MAX_LIST_BYTES, path, base),
    ask(UNTRACKED, MAX_LIST_BYTES, path, base),
  ]);
  const tracked = parseChanges(changes.stdout.toString('utf8'));
  const names = others.stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
  const shown = names.slice(0, MAX_UNTRACKED);
  const [numbers, patch, newPatch] = await Promise.all([
    ask(NEW_FILES, MAX_LIST_BYTES, path, base, 'numbers', ...shown),
    ask(PATCH, MAX_PATCH_BYTES, path, base),
    ask(NEW_FILES, MAX_PATCH_BYTES, path, base, 'patch', ...shown),
  ]);
  const files = [...tracked, ...untracked(shown, numbers.stdout.toString('utf8'))];
  const text = patch.stdout.toString('utf8') + newPatch.stdout.toString('utf8');
  return {
    path: path === '.' ? '.' : path.replace(/^\.\//, ''),
    branch: orNull(branch),
    base: isEmptyTree(base) ? null : orNull(base),
    head: orNull(head),
    files: files.slice(0, MAX_FILES),
    more_files: files.length > MAX_FILES || names.length > shown.length || changes.cut,
    patch: text.slice(0, MAX_PATCH_BYTES).replaceAll('\0', '\uFFFD'),
    patch_cut: patch.cut || newPatch.cut || text.length > MAX_PATCH_BYTES,
  };
}

function untracked(names: readonly string[], numbers: string): ChangedFile[] {
  const lines = numbers.split('\n');
  return names.map((path, index) => {
    const [added = '0', deleted = '0'] = (lines[index] ?? '').split('\t');
    return { path, status: 'added', ...counts(added, deleted), untracked: true };
  });
}

const orNull = (text: string) => (text === '' ? null : text);

const EMPTY_TREES = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);
const isEmptyTree = (id: string) => EMPTY_TREES.has(id);
