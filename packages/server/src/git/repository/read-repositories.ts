import type { Sandbox } from '../../machine/drivers/driver.ts';
import { FIND_REPOSITORIES } from '../../machine/git/baselines.ts';
import { runScript } from '../../machine/git/run-script.ts';
import { parseRemote, type Remote } from './remote.ts';

export interface LocalRepository {
  readonly path: string;
  readonly branch: string | null;
  readonly defaultBranch: string | null;
  readonly head: string | null;
  readonly pushed: boolean;
  readonly ahead: number;
  readonly behind: number;
  readonly uncommitted: number;
  readonly remote: Remote | undefined;
}

const MAX_REPOSITORIES = 20;
const FIELDS = 9;

/** One line per field, for each repository. Disables programs that the configuration of a repository could start. */
const SCRIPT = `
git() { command git -c core.fsmonitor=false -c core.hooksPath=/dev/null "$@" 2>/dev/null; }
export GIT_OPTIONAL_LOCKS=0
${FIND_REPOSITORIES} | head -n ${MAX_REPOSITORIES} | while IFS= read -r folder; do
  (
    cd "$folder" || exit
    branch=$(git symbolic-ref --short --quiet HEAD)
    main=$(git symbolic-ref --short --quiet refs/remotes/origin/HEAD)
    upstream="refs/remotes/origin/$branch"
    pushed=0
    if [ -n "$branch" ] && git rev-parse --verify --quiet "$upstream" >/dev/null; then pushed=1; else upstream=$main; fi
    counts=$(git rev-list --left-right --count "HEAD...$upstream" -- || printf '0\\t0')
    printf '%s\\n' "$folder" "$branch" "\${main#origin/}" "$(git rev-parse --verify --quiet HEAD)" "$pushed"
    printf '%s\\n' "$counts" | tr '\\t' '\\n'
    git status --porcelain --untracked-files=normal | wc -l | tr -d ' '
    git config --get remote.origin.url || echo
  )
done`;

/** The repositories of a workspace. Programs in the workspace can forge the answer. */
export async function readRepositories(
  sandbox: Pick<Sandbox, 'run'>,
  signal: AbortSignal,
): Promise<LocalRepository[]> {
  const { stdout } = await runScript(sandbox, SCRIPT, [], { limit: 256 * 1024, signal });
  const lines = stdout.toString('utf8').split('\n');
  const count = Math.floor(lines.length / FIELDS);
  return Array.from({ length: count }, (_, index) =>
    repositoryOf(lines.slice(index * FIELDS, (index + 1) * FIELDS)),
  );
}

function repositoryOf([
  path = '',
  branch = '',
  main = '',
  head = '',
  pushed = '',
  ahead = '',
  behind = '',
  uncommitted = '',
  url = '',
]: readonly string[]): LocalRepository {
  return {
    path: path.replace(/^\.\//, ''),
    branch: orNull(branch),
    defaultBranch: orNull(main),
    head: orNull(head),
    pushed: pushed === '1',
    ahead: Number.parseInt(ahead, 10) || 0,
    behind: Number.parseInt(behind, 10) || 0,
    uncommitted: Number.parseInt(uncommitted, 10) || 0,
    remote: parseRemote(url),
  };
}

const orNull = (text: string) => (text === '' ? null : text);
