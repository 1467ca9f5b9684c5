import { Refused } from '../../chat/refused.ts';
import type { Sandbox } from '../../machine/drivers/driver.ts';
import { runScript, type ScriptOutput } from '../../machine/git/run-script.ts';

export interface Author {
  readonly name: string;
  readonly email: string;
}

const CO_AUTHOR = 'Co-authored-by: chatd agent <agent@chatd.invalid>';
const MAX_OUTPUT = 64 * 1024;

/** Prints the commit to push. */
const COMMIT = `cd "$1" || exit 3
branch=$2
if [ "$(git symbolic-ref --short --quiet HEAD)" != "$branch" ]; then
  if git show-ref --verify --quiet "refs/heads/$branch"; then
    echo "The branch $branch exists and is not checked out. Check it out first, or use another branch." >&2
    exit 4
  fi
  git switch --quiet --create "$branch" || exit 5
fi
if [ -n "$3" ] && [ -n "$(git status --porcelain)" ]; then
  git add --all && git commit --quiet --message "$3" >&2 || exit 6
fi
git rev-parse --verify HEAD`;

const PUSH = `cd "$1" || exit 3
git -c push.pushOption= push origin "$3:refs/heads/$2" >&2 || exit 4
git branch --quiet --set-upstream-to="origin/$2" "$2" 2>/dev/null
exit 0`;

/** Switches to the branch, and commits all changes if there is a message. Returns the commit. */
export async function commitTo(
  sandbox: Pick<Sandbox, 'run'>,
  at: { readonly path: string; readonly branch: string },
  commit: { readonly message: string | undefined; readonly author: Author },
  signal: AbortSignal,
): Promise<string> {
  const { name, email } = commit.author;
  const message = commit.message === undefined ? '' : `${commit.message}\n\n${CO_AUTHOR}`;
  const output = await runScript(sandbox, COMMIT, [at.path, at.branch, message], {
    limit: MAX_OUTPUT,
    signal,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    },
  });
  const id = output.stdout.toString('utf8').trim();
  if (output.code === 0 && /^[0-9a-f]{40,64}$/.test(id)) return id;
  throw failed('The commit failed', output);
}

export async function pushCommit(
  sandbox: Pick<Sandbox, 'run'>,
  at: { readonly path: string; readonly branch: string; readonly commit: string },
  signal: AbortSignal,
): Promise<void> {
  const output = await runScript(sandbox, PUSH, [at.path, at.branch, at.commit], {
    limit: MAX_OUTPUT,
    signal,
  });
  if (output.code !== 0) throw failed('The push failed', output);
}

function failed(what: string, { stderr, code }: ScriptOutput): Refused {
  const said = stderr.trim();
  return new Refused('git_push_failed', `${what}: ${said === '' ? `exit code ${code}` : said}`);
}
