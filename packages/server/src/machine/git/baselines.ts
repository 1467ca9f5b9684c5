import type { Sandbox } from '../drivers/driver.ts';
import { runScript } from './run-script.ts';

const DEPTH = 4;
const LIMIT = 64 * 1024;

/** Finds the folders of repositories, relative to the root, without those of installed packages. */
export const FIND_REPOSITORIES = `find . -maxdepth ${DEPTH} \\( -name node_modules -o -name .venv \\) -prune -o -name .git -prune -print 2>/dev/null | sed 's#/\\.git$##' | sort`;

/** The current commit of each repository, by path. Empty: no commits yet. */
export async function readBaselines(
  sandbox: Pick<Sandbox, 'run'>,
): Promise<Record<string, string>> {
  const script = `${FIND_REPOSITORIES} | while IFS= read -r folder; do
  printf '%s\\t%s\\n' "$folder" "$(git -C "$folder" rev-parse --verify --quiet HEAD)"
done`;
  const { stdout } = await runScript(sandbox, script, [], { limit: LIMIT });
  const lines = stdout.toString('utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [path, commit] = line.split('\t');
      return path === undefined || commit === undefined ? [] : [[path, commit]];
    }),
  );
}
