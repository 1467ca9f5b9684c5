import { z } from 'zod';
import {
  ChatGit,
  GIT_CONNECTIONS_LIMIT,
  GitConnection,
  GitHostKind,
  GitPullRequest,
  GitRepository,
} from '../git.ts';
import { Uuid } from '../ids.ts';
import { NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import { describedAs } from '../text-value.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Git');
const GitConnectionParams = z.strictObject({
  git_connection_id: Uuid.describe('One of your git connections.'),
});

const Host = z
  .string()
  .trim()
  .toLowerCase()
  .max(260)
  .regex(
    /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?$/,
    'must be a host name, optionally with a port, without https://',
  );
const RepositoryPattern = z
  .string()
  .trim()
  .max(300)
  .regex(/^[\w.~+-]+(\/[\w.~+-]+)*(\/\*)?$/, 'must be owner/name or owner/*');
const Branch = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(
    /^(?![/.-])(?!.*(\.\.|\/\/|\/\.|@\{|\.lock(\/|$)))[^\s~^:?*[\\\p{Cc}]+(?<![/.])$/u,
    'must be a valid branch name',
  );
const Folder = z.string().min(1).max(4096);
const Destination = z
  .string()
  .min(1)
  .max(2000)
  .optional()
  .meta({
    description:
      'Host and repository that the remote `origin` must have, because programs in the workspace can change it. Default: not checked.',
    examples: ['github.com/acme/shop'],
  });

const PROBLEMS = [
  'workspaces_disabled',
  'workspace_not_ready',
  'machine_offline',
  'unknown_repository',
  'git_not_connected',
  'git_token_refused',
  'git_host_refused',
  'git_host_unreachable',
] as const;

export const gitRoutes = {
  listGitConnections: route({
    method: 'get',
    path: '/git/connections',
    summary: 'List your git connections',
    description: 'Sorted by host.',
    scope: 'read',
    answers: {
      200: z.object({
        git_connections: z.array(GitConnection).describe('All connections.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createGitConnection: route({
    method: 'post',
    path: '/git/connections',
    summary: 'Connect a git host',
    description: `Git in your workspaces then reaches the repositories of the host through the server, which adds the token. The token never enters a workspace. A connection to the same host is replaced. The token of GitHub and GitLab is verified first. You can have up to ${GIT_CONNECTIONS_LIMIT} connections.`,
    scope: 'write',
    body: z
      .strictObject({
        host: Host.meta({
          description: 'Host name, with a port if it is not 443.',
          examples: ['github.com'],
        }),
        kind: GitHostKind.optional().describe(
          'Kind of the host. Default: `github` for github.com, `gitlab` for gitlab.com, else `other`.',
        ),
        token: z
          .string()
          .trim()
          .min(8)
          .max(4096)
          .regex(/^[\u0021-\u007e]+$/, 'must not contain spaces or control characters')
          .describe(
            'Personal access token that can read and write repositories and pull requests. Stored encrypted and never returned.',
          ),
        username: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .regex(/^[^:\s\p{Cc}]+$/u, 'must not contain spaces or colons')
          .optional()
          .describe(
            'User name that git sends with the token. Default: the one that the host expects.',
          ),
        repositories: z
          .array(RepositoryPattern)
          .min(1)
          .max(200)
          .nullable()
          .optional()
          .describe(
            'Repositories that workspaces can access: `owner/name`, or `owner/*` for all below. Null: all that the token can access. Default: null.',
          ),
      })
      .meta({ examples: [{ host: 'github.com', token: 'github_pat_11AA' }] }),
    answers: { 201: GitConnection },
    refusals: [
      'git_token_refused',
      'git_host_refused',
      'git_host_unreachable',
      'url_not_allowed',
      'quota_exceeded',
      'secret_key_required',
    ],
    audit: { action: 'git_connection.create', values: ['host', 'kind'], byHandler: true },
    secret: true,
  }),
  deleteGitConnection: route({
    method: 'delete',
    path: '/git/connections/{git_connection_id}',
    summary: 'Disconnect a git host',
    description: 'Workspaces lose access to its private repositories immediately.',
    scope: 'write',
    params: GitConnectionParams,
    answers: { 204: null },
    audit: { action: 'git_connection.delete' },
  }),
  getChatGit: route({
    method: 'get',
    path: '/chats/{chat_id}/git',
    summary: "Get the repositories of the chat's workspace, with their pull requests",
    description:
      'Includes checks, reviews, and unresolved comments of pull requests. Responses of the git host are reused for 10 seconds and revalidated with ETags, so polling does not use up its rate limit. Empty if the chat has no workspace.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    answers: { 200: ChatGit },
    refusals: ['workspaces_disabled', 'workspace_not_ready', 'machine_offline'],
  }),
  waitForGitChange: route({
    method: 'get',
    path: '/chats/{chat_id}/git/changes',
    summary: 'Wait for a change at the git host',
    description:
      'Responds as soon as a webhook of GitHub reports a change of a repository that `getChatGit` has returned for this chat, or after `seconds`. Then read the repositories again. Requires the setting `github_webhook_secret`; without it, no change is reported.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    query: z.strictObject({
      seconds: z
        .string()
        .regex(/^[0-9]{1,2}$/, 'must be 0 to 30')
        .transform(Number)
        .refine((seconds) => seconds <= 30, 'must be 0 to 30')
        .default(15)
        .meta({
          ...describedAs({ type: 'integer', minimum: 0, maximum: 30, default: 15 }),
          description: 'Max time to wait, in seconds.',
        }),
    }),
    answers: {
      200: z.object({ changed: z.boolean().describe('True if a change was reported.') }),
    },
    refusals: ['workspaces_disabled'],
  }),
  pushChatGit: route({
    method: 'post',
    path: '/chats/{chat_id}/git/push',
    summary: "Push a branch of the chat's workspace",
    description:
      'Commits uncommitted changes if a message is given, with your account as the author and the agent as the co-author, and pushes the branch to the remote `origin`. Never forces, and never pushes to the default branch. Repeating it has no further effect.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      path: Folder.optional().describe(
        'Path of the repository, from `getChatGit`. Default: the only repository of the workspace.',
      ),
      destination: Destination,
      branch: Branch.optional().describe(
        'Branch to push. Created from the current commit if it does not exist. Default: `suggested_branch`.',
      ),
      message: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .optional()
        .describe('Message of the commit. Default: uncommitted changes are not committed.'),
    }),
    answers: { 200: GitRepository },
    refusals: [...PROBLEMS, 'git_push_failed'],
    audit: { action: 'chat.git_push', values: ['path', 'branch'], byHandler: true },
  }),
  createPullRequest: route({
    method: 'post',
    path: '/chats/{chat_id}/git/pull-requests',
    summary: "Open a pull request for the branch of the chat's workspace",
    description:
      'The branch must have been pushed. If the branch has an open pull request, that one is returned, so the request can be repeated.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      path: Folder.optional().describe(
        'Path of the repository, from `getChatGit`. Default: the only repository of the workspace.',
      ),
      destination: Destination,
      title: z.string().trim().min(1).max(250).describe('Title of the pull request.'),
      body: z
        .string()
        .max(60_000)
        .optional()
        .describe('Description of the pull request, in Markdown. Default: empty.'),
      base: Branch.optional().describe(
        'Branch to merge into. Default: the default branch of the repository.',
      ),
      draft: z.boolean().optional().describe('Whether it is a draft. Default: false.'),
    }),
    answers: { 201: GitPullRequest },
    refusals: PROBLEMS,
    audit: {
      action: 'chat.create_pull_request',
      values: ['path', 'title', 'base'],
      byHandler: true,
    },
  }),
};
