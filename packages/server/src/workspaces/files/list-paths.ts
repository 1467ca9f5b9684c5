import type { HostedWorkspace } from '../../machine/machine.ts';
import { displayText } from '../../machine/processes/display-text.ts';
import { runScript } from '../../machine/git/run-script.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** Lists files with ripgrep or git, which skip ignored files, or with find. */
const SCRIPT = `
if command -v rg >/dev/null 2>&1; then
  rg --no-config --files --hidden --no-require-git --no-messages --glob '!.git' -0
  exit 0
fi
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git -c core.fsmonitor=false ls-files -z --cached --others --exclude-standard
  exit 0
fi
find . \\( -name .git -o -name node_modules -o -name .venv -o -name __pycache__ \\) -prune -o -type f -print |
  tr '\\n' '\\0'
`;

/** All files that are not ignored, relative to the root. Truncated if there are too many. */
export async function listPaths(workspace: HostedWorkspace): Promise<string[]> {
  const { stdout } = await runScript(workspace, SCRIPT, [], { limit: MAX_BYTES });
  const end = stdout.lastIndexOf(0);
  const paths = displayPaths(stdout.subarray(0, Math.max(0, end)));
  return [...new Set(paths)];
}

const displayPaths = (bytes: Buffer): string[] =>
  split(bytes)
    .map((path) => displayText(path).replace(/^\.\//, ''))
    .filter((path) => path !== '');

function split(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (;;) {
    const at = bytes.indexOf(0, from);
    pieces.push(bytes.subarray(from, at === -1 ? bytes.length : at));
    if (at === -1) return pieces;
    from = at + 1;
  }
}
