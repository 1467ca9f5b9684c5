import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { HostedWorkspace } from '../../machine/machine.ts';
import { displayText } from '../../machine/processes/display-text.ts';
import { whenAborted } from '../../machine/when-aborted.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { insideRoot, shownPath } from '../../workspaces/files/path.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_LINES = 500;
const MAX_BYTES = 64 * 1024;
const MAX_LINE_LENGTH = 400;
const TIME_LIMIT_MS = 60_000;

const INPUT = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('A regular expression'),
  path: z.string().min(1).optional().describe('A file or folder. Default: the root'),
  glob: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Only files that match this glob, such as *.ts'),
  ignore_case: z.boolean().optional(),
  literal: z.boolean().optional().describe('Treat the pattern as literal text'),
  files_only: z.boolean().optional().describe('Return only the names of matching files'),
});
type Search = z.output<typeof INPUT>;

export const searchFiles = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'search_files',
    description: `Search the files of the workspace for a regular expression. Returns matching lines as path:line:text, at most ${MAX_LINES}. Files ignored by git are skipped.`,
    input: INPUT,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run(search, context) {
      const workspace = await handle.use(context);
      const target = insideRoot(workspace.root, search.path ?? '.');
      if ((await workspace.files.stat(target)) === undefined) {
        throw new Error(`${shownPath(workspace.root, target)} does not exist.`);
      }
      const found = await collect(
        handle,
        workspace,
        search,
        shownPath(workspace.root, target),
        context.signal,
      );
      if (found.lines.length === 0) {
        if (found.failed) throw new Error(`The search failed: ${found.stderr.trim()}`);
        return 'No matches.';
      }
      const note = found.cut
        ? [`[truncated to ${found.lines.length} matches: narrow the search]`]
        : [];
      return [...found.lines, ...note].join('\n');
    },
  });

interface Found {
  readonly lines: string[];
  readonly cut: boolean;
  readonly failed: boolean;
  readonly stderr: string;
}

/** Stops the search when there are enough matches. */
async function collect(
  handle: WorkspaceHandle,
  workspace: HostedWorkspace,
  search: Search,
  target: string,
  signal: AbortSignal,
): Promise<Found> {
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  const full = Promise.withResolvers<'full'>();
  const running = await workspace.run({
    argv: ['/bin/sh', '-c', SCRIPT, 'sh', ...scriptArguments(search, target)],
    onOutput(bytes, stream) {
      if (stream === 'stderr') {
        stderr = (stderr + displayText(bytes)).slice(-1000);
        return;
      }
      if (size < MAX_BYTES) chunks.push(Buffer.from(bytes.subarray(0, MAX_BYTES)));
      size += bytes.length;
      if (size >= MAX_BYTES) full.resolve('full');
    },
  });
  const late = Promise.withResolvers<'late'>();
  const cancel = handle.clock.after(TIME_LIMIT_MS, () => late.resolve('late'));
  const aborted = whenAborted(signal);
  const end = await Promise.race([running.exit, full.promise, late.promise, aborted.promise]);
  cancel();
  aborted.release();
  if (typeof end === 'string') await running.signal('SIGKILL');
  signal.throwIfAborted();
  const text = displayText(Buffer.concat(chunks));
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all.slice(0, MAX_LINES).map(shortened);
  return {
    lines,
    cut: typeof end === 'string' || all.length > MAX_LINES,
    failed: typeof end !== 'string' && end.code !== 0 && end.code !== 1,
    stderr,
  };
}

function shortened(line: string): string {
  const clean = line.replace(/^\.\//, '');
  return clean.length > MAX_LINE_LENGTH
    ? `${clean.slice(0, MAX_LINE_LENGTH)}… [line truncated]`
    : clean;
}

/** Uses ripgrep if it is installed. User input is passed as arguments, never as code. */
const SCRIPT = `
pattern=$1 target=$2 glob=$3 case=$4 literal=$5 names=$6
set --
if command -v rg >/dev/null 2>&1; then
  set -- rg --no-config --color=never --no-heading --with-filename --line-number --sort=path --hidden --glob '!.git'
  [ -n "$glob" ] && set -- "$@" --glob "$glob"
  [ -n "$names" ] && set -- "$@" --files-with-matches --no-line-number
else
  set -- grep -r -I -n -H --exclude-dir=.git --exclude-dir=node_modules
  [ -z "$literal" ] && set -- "$@" -E
  [ -n "$glob" ] && set -- "$@" "--include=$glob"
  [ -n "$names" ] && set -- "$@" -l
fi
[ -n "$case" ] && set -- "$@" -i
[ -n "$literal" ] && set -- "$@" -F
exec "$@" -e "$pattern" -- "$target"`;

const scriptArguments = (search: Search, target: string) => [
  search.pattern,
  target,
  search.glob ?? '',
  search.ignore_case === true ? 'yes' : '',
  search.literal === true ? 'yes' : '',
  search.files_only === true ? 'yes' : '',
];
