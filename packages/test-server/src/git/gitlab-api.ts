import type { TestPullRequest, TestRepositories } from './repositories.ts';
import { paged, rest, type RestAnswer, type RestRequest } from './rest.ts';

const notFound = rest({ message: '404 Project Not Found' }, 404);
const STATES = { open: 'opened', merged: 'merged', closed: 'closed' } as const;

/** The part of GitLab's API for merge requests, with its rules. */
export async function answerGitLab(
  repositories: TestRepositories,
  request: RestRequest,
  base: string,
): Promise<RestAnswer> {
  const { method, path, query, body } = request;
  if (path === '/user') return rest({ username: 'ann', id: 7, name: 'Ann Example' });
  const [, encoded = '', after = ''] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const repository = decodeURIComponent(encoded);
  if (!(await repositories.has(repository))) return notFound;
  const pulls = repositories.pulls(repository);
  if (after === '') return rest({ path_with_namespace: repository, default_branch: 'main' });
  if (after === '/merge_requests' && method === 'GET') {
    const branch = query.get('source_branch');
    const found = pulls.filter((pull) => branch === null || pull.branch === branch);
    return paged(found.toReversed().map(present), request, base);
  }
  if (after === '/merge_requests') {
    const { source_branch, target_branch, title, description } = body;
    if (typeof title !== 'string' || title === '') return rest({ error: 'title is missing' }, 400);
    const branch = String(source_branch);
    if ((await repositories.commit(repository, branch)) === undefined)
      return rest({ message: { source_branch: ['does not exist'] } }, 400);
    const other = pulls.find((pull) => pull.branch === branch && pull.state === 'open');
    if (other !== undefined)
      return rest(
        {
          message: [
            `Another open merge request already exists for this source branch: !${other.number}`,
          ],
        },
        409,
      );
    const draft = title.startsWith('Draft: ');
    const text = typeof description === 'string' ? description : '';
    const wanted = { branch, base: String(target_branch), title, body: text, draft };
    return rest(present(repositories.open(repository, wanted)), 201);
  }
  const [, pipeline] = /^\/pipelines\/(\d+)\/jobs$/.exec(after) ?? [];
  if (pipeline !== undefined) {
    const jobs = pulls
      .filter((pull) => pull.number === Number(pipeline))
      .flatMap((pull) => pull.checks)
      .map(({ name, conclusion }) => ({
        name,
        status: conclusion === null ? 'running' : conclusion === 'success' ? 'success' : 'failed',
        allow_failure: false,
        web_url: `https://jobs.example/${name}`,
      }));
    return paged(jobs, request, base);
  }
  const [, iid, part = ''] = /^\/merge_requests\/(\d+)(\/\w+)?$/.exec(after) ?? [];
  const pull = pulls.find((one) => one.number === Number(iid));
  if (pull === undefined) return rest({ message: '404 Not found' }, 404);
  if (part === '') return rest({ ...present(pull), head_pipeline: { id: pull.number } });
  if (part === '/approvals') {
    const approved = pull.reviews.filter(({ state }) => state === 'APPROVED');
    return rest({ approved_by: approved.map(({ author }) => ({ user: { username: author } })) });
  }
  const discussions = pull.threads.map(({ isResolved, path: file, line, comments }, index) => ({
    notes: comments.map(({ author, body: text }, at) => ({
      id: index * 100 + at,
      body: text,
      resolvable: true,
      resolved: isResolved,
      author: { username: author },
      position: { new_path: file, new_line: line },
    })),
  }));
  return paged(discussions, request, base);

  function present(one: TestPullRequest) {
    return {
      iid: one.number,
      web_url: `https://gitlab.example/${repository}/-/merge_requests/${one.number}`,
      title: one.title,
      state: STATES[one.state],
      draft: one.draft,
      target_branch: one.base,
      source_project_id: one.isFromFork === true ? 2 : 1,
      target_project_id: 1,
    };
  }
}
