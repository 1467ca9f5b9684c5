import type { GitPullRequest } from '@chatd/protocol';

/** Asks the agent to address the unresolved comments. Their text is quoted, because other people wrote it. */
export function reviewMessage({ number, url, comments }: GitPullRequest): string {
  const quoted = comments.map(({ author, path, line, body }) => {
    const place = path === null ? '' : ` on ${path}${line === null ? '' : `:${line}`}`;
    return `${author}${place}:\n${body.trim().replaceAll(/^/gm, '> ')}`;
  });
  return [
    `Address these review comments on pull request #${number} (${url}), then push:`,
    ...quoted,
  ].join('\n\n');
}
