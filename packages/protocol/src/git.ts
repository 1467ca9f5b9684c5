import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

/** Max number of git connections of a user. */
export const GIT_CONNECTIONS_LIMIT = 50;

export const GitHostKind = enumeration('GitHostKind', 'Kind of a git host.', {
  github: 'GitHub or GitHub Enterprise Server',
  gitlab: 'GitLab',
  other: 'any other host of repositories over HTTPS, without pull requests',
});
export type GitHostKind = z.infer<typeof GitHostKind>;

export const GitConnection = z
  .object({
    id: Uuid.describe('ID of the connection. A UUIDv7.'),
    kind: GitHostKind.describe('Kind of the host.'),
    host: z.string().meta({
      description: 'Host name, with a port if it is not 443. You have one connection per host.',
      examples: ['github.com'],
    }),
    username: z.string().describe('User name that git sends with the token.'),
    account: z
      .string()
      .nullable()
      .describe('Account at the host that the token belongs to. Null: unknown.'),
    repositories: z
      .array(z.string())
      .nullable()
      .describe(
        'Repositories that workspaces can access: `owner/name`, or `owner/*` for all below. Null: all that the token can access.',
      ),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe('Time at which the token was last replaced.'),
  })
  .meta({
    id: 'GitConnection',
    description: 'Your account at a git host. The token is stored encrypted and never returned.',
  });
export type GitConnection = z.infer<typeof GitConnection>;

const GitCheck = z
  .object({
    name: z.string().describe('Name of the check or job.'),
    status: z
      .enum(['pending', 'success', 'failure', 'neutral'])
      .describe('Result of the check. `pending`: not finished.'),
    url: z.string().nullable().describe('Details of the check. Null: none.'),
  })
  .meta({ id: 'GitCheck', description: 'A check of a pull request.' });

const GitReview = z
  .object({
    author: z.string().describe('Account of the reviewer.'),
    decision: z
      .enum(['approved', 'changes_requested', 'commented'])
      .describe('Last decision of the reviewer.'),
  })
  .meta({ id: 'GitReview', description: 'A review of a pull request.' });

const GitReviewComment = z
  .object({
    author: z.string().describe('Account of the author.'),
    path: z.string().nullable().describe('File that the comment is about. Null: none.'),
    line: z.int().nullable().describe('Line of the file. Null: none.'),
    body: z.string().describe('Text of the comment, in Markdown.'),
    url: z.string().describe('URL of the comment.'),
  })
  .meta({ id: 'GitReviewComment', description: 'A comment of an unresolved discussion.' });

export const GitPullRequest = z
  .object({
    number: z.int().describe('Number of the pull request in its repository.'),
    url: z.string().describe('URL of the pull request.'),
    title: z.string().describe('Title of the pull request.'),
    state: z.enum(['open', 'merged', 'closed']).describe('State of the pull request.'),
    draft: z.boolean().describe('True if it is a draft.'),
    base: z.string().describe('Branch that it will be merged into.'),
    checks: z.array(GitCheck).describe('Checks of its last commit.'),
    reviews: z.array(GitReview).describe('Reviews, one for each reviewer.'),
    comments: z
      .array(GitReviewComment)
      .describe('Comments of unresolved discussions. Empty if it is not open.'),
  })
  .meta({
    id: 'GitPullRequest',
    description: 'A pull request, or a merge request of GitLab.',
  });
export type GitPullRequest = z.infer<typeof GitPullRequest>;

const GitRemote = z
  .object({
    host: z.string().meta({ description: 'Host of the repository.', examples: ['github.com'] }),
    repository: z
      .string()
      .meta({ description: 'Path of the repository at the host.', examples: ['acme/shop'] }),
    connection: GitHostKind.nullable().describe(
      'Kind of the connection of the owner. Null: the host is not connected.',
    ),
  })
  .meta({ id: 'GitRemote', description: 'The remote `origin` of a repository.' });

export const GitRepository = z
  .object({
    path: z.string().meta({ description: 'Path relative to the workspace root.', examples: ['.'] }),
    branch: z.string().nullable().describe('Branch that is checked out. Null: detached HEAD.'),
    default_branch: z
      .string()
      .nullable()
      .describe('Default branch of the remote, as of the last fetch. Null: unknown.'),
    suggested_branch: z.string().meta({
      description: 'Branch for a push: the current one, unless it is the default branch.',
      examples: ['chatd/fix-the-login'],
    }),
    head: z.string().nullable().describe('Commit that is checked out. Null: none yet.'),
    pushed: z.boolean().describe('True if the branch exists in the remote, as of the last fetch.'),
    ahead: z
      .int()
      .describe(
        'Commits that are not in the remote branch, or in the default branch if not pushed.',
      ),
    behind: z.int().describe('Commits of the remote branch that are missing here.'),
    uncommitted: z.int().describe('Number of files with uncommitted changes.'),
    remote: GitRemote.nullable().describe('Remote `origin`. Null: none with a supported URL.'),
    pull_request: GitPullRequest.nullable().describe(
      'Newest pull request of the branch. Null: none, or the host is not connected.',
    ),
    problem: z
      .string()
      .nullable()
      .describe('Why the pull request could not be read. Null: no problem.'),
  })
  .meta({ id: 'GitRepository', description: 'A repository in the workspace of a chat.' });
export type GitRepository = z.infer<typeof GitRepository>;

export const ChatGit = z
  .object({
    workspace_id: Uuid.nullable().describe('Workspace of the chat. Null: none.'),
    repositories: z.array(GitRepository).describe('Repositories in the workspace. At most 20.'),
  })
  .meta({ id: 'ChatGit', description: 'The repositories of a chat, with their pull requests.' });
export type ChatGit = z.infer<typeof ChatGit>;
