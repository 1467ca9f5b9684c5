import {
  type SandboxFiles,
  type ProcessRequest,
  type FileEntry,
  type FileKind,
  SandboxFileError,
  type SandboxFileErrorCode,
  type RunningProcess,
} from './driver.ts';

type Run = (command: ProcessRequest) => Promise<RunningProcess>;

/**
 * File access for sandboxes that can only run commands, with a shell and POSIX utilities. Each operation resolves a
 * path before it opens it. A path that changes in between can only lead to files inside the sandbox.
 */
export function shellFiles(run: Run, root: string): SandboxFiles {
  const ask = async (script: string, args: readonly string[], stdin?: Uint8Array) => {
    const chunks: Buffer[] = [];
    let stderr = '';
    const running = await run({
      argv: ['/bin/sh', '-c', COMMON + script, 'sh', root, ...args],
      ...(stdin && { stdin }),
      // Leaves no processes behind, so there is nothing to clean up.
      background: true,
      onOutput(bytes, stream) {
        if (stream === 'stdout') chunks.push(Buffer.from(bytes));
        else stderr = (stderr + Buffer.from(bytes).toString('utf8')).slice(-1000);
      },
    });
    const { code } = await running.exit;
    if (code === 0) return Buffer.concat(chunks);
    throw fileError(code, args[0] ?? '', stderr);
  };

  return {
    async read(path, from, length) {
      const output = await ask(READ, [path, String(from), String(length)]);
      const end = output.indexOf(10);
      return { size: Number(output.toString('utf8', 0, end)), bytes: output.subarray(end + 1) };
    },
    async write(path, bytes, expected) {
      const wanted = expected === undefined ? '' : (expected ?? 'none');
      const output = await ask(WRITE, [path, wanted], bytes);
      return output.toString('utf8').trim() === 'created';
    },
    async stat(path) {
      const output = await ask(STAT, [path]);
      const [entry] = entriesOf(output.toString('utf8'));
      return entry && { ...entry, path };
    },
    async list(path, { depth, limit, skip }) {
      const args = [path, String(depth), String(limit + 1), ...skip];
      const entries = entriesOf((await ask(LIST, args)).toString('utf8'));
      const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      return { entries: sorted.slice(0, limit), more: entries.length > limit };
    },
  };
}

const CODES: Partial<Record<number, [SandboxFileErrorCode, string]>> = {
  90: ['not_found', 'does not exist'],
  91: ['outside', 'is outside the workspace'],
  92: ['not_a_file', 'is not a regular file'],
  93: ['not_a_directory', 'is not a folder'],
  94: ['denied', 'cannot be opened: permission denied'],
  95: ['changed', 'has changed'],
};

function fileError(code: number | null, path: string, stderr: string): SandboxFileError {
  const known = CODES[code ?? -1];
  if (known !== undefined) return new SandboxFileError(known[0], `${path} ${known[1]}.`);
  const full = /no space left|quota exceeded/i.test(stderr);
  if (full) return new SandboxFileError('no_space', `The disk is full. ${path} was not changed.`);
  return new SandboxFileError('failed', `${path}: ${stderr.trim() || `exit code ${code}`}`);
}

/** Failures exit with one of CODES. */
const COMMON = `
root=$(cd "$1" && pwd -P); path=$2; shift 2
inside() { case "$1" in "$root"|"$root"/*) ;; *) exit 91 ;; esac; }
exists() { [ -e "$path" ] || [ -L "$path" ] || exit 90; }
`;

const READ = `
exists; real=$(readlink -f "$path") || exit 90; inside "$real"
[ -f "$real" ] || exit 92
[ -r "$real" ] || exit 94
wc -c < "$real" | tr -d ' '
tail -c +$(($1 + 1)) "$real" | head -c "$2"
`;

const WRITE = `
expected=$1
hash() { sha256sum < "$1" | cut -d' ' -f1; }
folder=$(dirname "$path"); existing=$folder
while [ ! -d "$existing" ]; do existing=$(dirname "$existing"); done
inside "$(cd "$existing" && pwd -P)"
mkdir -p "$folder" || exit 1
if [ -e "$path" ] || [ -L "$path" ]; then
  real=$(readlink -f "$path") || exit 91; inside "$real"
  [ -f "$real" ] || exit 92
  was=replaced
else
  real=$(cd "$folder" && pwd -P)/$(basename "$path"); inside "$real"
  was=created
fi
draft="$real.$$.draft"
[ "$was" = replaced ] && cp -p "$real" "$draft" 2>/dev/null
cat > "$draft" || { rm -f "$draft"; exit 1; }
if [ -n "$expected" ]; then
  current=none; [ -e "$real" ] && current=$(hash "$real")
  [ -n "$current" ] || { rm -f "$draft"; exit 1; }
  case "$current" in "$expected"|"$(hash "$draft")") ;; *) rm -f "$draft"; exit 95 ;; esac
fi
mv -f "$draft" "$real" || { rm -f "$draft"; exit 1; }
echo "$was"
`;

const STAT = `
[ -e "$path" ] || [ -L "$path" ] || exit 0
inside "$(cd "$(dirname "$path")" && pwd -P)"
find "$path" -prune -exec stat -c '%F|%s|%Y|.' {} \\; | tr '\\n' '\\0'
`;

/** Without `find -printf`, which is not portable. */
const LIST = `
depth=$1; limit=$2; shift 2
exists; real=$(readlink -f "$path"); inside "$real"
[ -d "$real" ] || exit 93
cd "$real" || exit 94
left=$#
while [ "$left" -gt 0 ]; do
  name=$1; shift
  [ $# -ge "$left" ] && set -- "$@" -o
  set -- "$@" -name "$name"
  left=$((left - 1))
done
[ $# -gt 0 ] && set -- \\( "$@" \\) -type d -prune -print -o
find . -mindepth 1 -maxdepth "$depth" "$@" -print 2>/dev/null |
  sort | head -n "$limit" | while IFS= read -r entry; do
    stat -c "%F|%s|%Y|%n" "$entry" 2>/dev/null
  done | tr '\\n' '\\0'
`;

function entriesOf(output: string): FileEntry[] {
  return output
    .split('\0')
    .map((line) => /^([^|]*)\|(\d+)\|(\d+)\|(.*)$/s.exec(line))
    .flatMap((match) =>
      match === null
        ? []
        : [
            {
              path: (match[4] ?? '').replace(/^\.\//, ''),
              kind: kindOf(match[1] ?? ''),
              size: Number(match[2]),
              modified: Number(match[3]) * 1000,
            },
          ],
    );
}

function kindOf(words: string): FileKind {
  if (words.startsWith('regular')) return 'file';
  if (words === 'directory') return 'directory';
  return words === 'symbolic link' ? 'link' : 'other';
}
