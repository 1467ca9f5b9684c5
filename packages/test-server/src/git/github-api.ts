import type { TestPullRequest, TestRepositories } from './repositories.ts';
import { paged, rest, type RestAnswer, type RestRequest } from './rest.ts';

const notFound = rest({ message: 'Not Found', status: '404' }, 404);
const invalid = (message: string) =>
  rest(
    {
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
      status: '422',
    },
    422,
  );

/** The part of GitHub's API for pull requests, with its rules. */
export async function answerGitHub(
  repositories: TestRepositories,
  request: RestRequest,
  base: string,
): Promise<RestAnswer> {
  const { method, path, query, body } = request;
  if (path === '/user') return rest({ login: 'ann', id: 7, name: 'Ann Example' });
  if (path === '/graphql') return graphql(repositories, body);
  const [, owner = '', name = '', rest_ = ''] =
    /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const repository = `${owner}/${name}`;
  if (!(await repositories.has(repository))) return notFound;
  const pulls = repositories.pulls(repository);
  if (rest_ === '') return rest({ full_name: repository, default_branch: 'main' });
  if (rest_ === '/pulls' && method === 'GET') {
    const head = query.get('head');
    const state = query.get('state') ?? 'open';
    const found = pulls
      .filter(
        (pull) => head === null || head === `${pull.isFromFork ? 'eve' : owner}:${pull.branch}`,
      )
      .filter((pull) => state === 'all' || (state === 'open') === (pull.state === 'open'));
    return paged(await Promise.all(found.toReversed().map(present)), request, base);
  }
  if (rest_ === '/pulls' && method === 'POST') {
    const { head, base: into, title } = body;
    if (typeof title !== 'string' || title === '') return invalid("title can't be blank");
    const branch = String(head).replace(`${owner}:`, '');
    const [from, to] = await Promise.all([
      repositories.commit(repository, branch),
      repositories.commit(repository, String(into)),
    ]);
    if (from === undefined) return invalid('head is invalid');
    if (to === undefined) return invalid('base is invalid');
    if (from === to) return invalid(`No commits between ${String(into)} and ${branch}`);
    if (pulls.some((pull) => pull.branch === branch && pull.state === 'open'))
      return invalid(`A pull request already exists for ${owner}:${branch}.`);
    const pull = repositories.open(repository, {
      branch,
      base: String(into),
      title,
      body: typeof body['body'] === 'string' ? body['body'] : '',
      draft: body['draft'] === true,
    });
    return rest(await present(pull), 201);
  }
  const [, commit] = /^\/commits\/([0-9a-f]{40})\/(?:check-runs|status)$/.exec(rest_) ?? [];
  if (commit !== undefined) {
    const heads = await Promise.all(
      pulls.map(({ branch }) => repositories.commit(repository, branch)),
    );
    const checks = pulls.filter((_, at) => heads[at] === commit).flatMap((pull) => pull.checks);
    if (rest_.endsWith('/status')) return rest({ state: 'pending', statuses: [] });
    const runs = checks.map(({ name: check, conclusion }) => ({
      name: check,
      status: conclusion === null ? 'in_progress' : 'completed',
      conclusion,
      html_url: `https://checks.example/${check}`,
    }));
    return rest({ total_count: runs.length, check_runs: runs });
  }
  const [, number] = /^\/pulls\/(\d+)\/reviews$/.exec(rest_) ?? [];
  const pull = pulls.find((one) => one.number === Number(number));
  if (pull === undefined) return notFound;
  const reviews = pull.reviews.map(({ author, state }) => ({ user: { login: author }, state }));
  return paged(reviews, request, base);

  async function present(one: TestPullRequest) {
    return {
      number: one.number,
      html_url: `https://github.example/${repository}/pull/${one.number}`,
      title: one.title,
      state: one.state === 'open' ? 'open' : 'closed',
      draft: one.draft,
      merged_at: one.state === 'merged' ? '2026-01-01T00:00:00Z' : null,
      base: { ref: one.base },
      head: { sha: (await repositories.commit(repository, one.branch)) ?? '0'.repeat(40) },
    };
  }
}

function graphql(repositories: TestRepositories, body: Record<string, unknown>): RestAnswer {
  const { owner, name, number } = body['variables'] as Record<string, unknown>;
  const pull = repositories
    .pulls(`${String(owner)}/${String(name)}`)
    .find((one) => one.number === number);
  const nodes = (pull?.threads ?? []).map(({ isResolved, path, line, comments }) => ({
    isResolved,
    path,
    line,
    comments: {
      nodes: comments.map(({ author, body: text }) => ({
        author: { login: author },
        body: text,
        url: 'https://github.example/comment',
      })),
    },
  }));
  return rest({ data: { repository: { pullRequest: { reviewThreads: { nodes } } } } });
}
