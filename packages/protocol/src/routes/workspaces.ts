import { z } from 'zod';
import { ChatContext } from '../chat-context.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { route } from '../route.ts';
import { Workspace, WorkspaceDiff, WorkspaceWithLog } from '../workspace.ts';
import { ChatParams } from './chats.ts';

const tag = 'Workspaces';
export const WorkspaceParams = z.strictObject({
  workspace_id: Uuid.describe('A workspace of yours.'),
});

const WorkspaceName = z.string().trim().min(1).max(100);

export const workspaceRoutes = {
  listWorkspaces: route({
    method: 'get',
    path: '/workspaces',
    tag,
    summary: 'List your workspaces, newest first',
    description: 'Those that were deleted are left out.',
    scope: 'read',
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        workspaces: z.array(Workspace).describe('One page of them.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createWorkspace: route({
    method: 'post',
    path: '/workspaces',
    tag,
    summary: 'Make a workspace from a template; it is ready when its set-up has run',
    description:
      'The answer comes at once, with the status `creating`. Give it to a chat as `workspace_id`; its tools wait for the set-up.',
    scope: 'write',
    body: z.strictObject({
      template_id: Uuid.describe(
        'The template, one of `listTemplates`. The workspace gets a copy of it.',
      ),
      name: WorkspaceName.optional().describe('What to call it. As its template unless given.'),
    }),
    answers: { 201: Workspace },
    refusals: ['unknown_template', 'workspaces_disabled', 'quota_exceeded'],
  }),
  getWorkspace: route({
    method: 'get',
    path: '/workspaces/{workspace_id}',
    tag,
    summary: 'Get a workspace, with the end of the output of its set-up',
    description: 'To see how far the set-up is, ask again.',
    scope: 'read',
    params: WorkspaceParams,
    answers: { 200: WorkspaceWithLog },
    refusals: [],
  }),
  startWorkspace: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/start',
    tag,
    summary: 'Start a workspace that was stopped; of one that failed, its set-up begins again',
    description:
      'One that is ready stays as it is. Files are as they were; what ran in it before does not run again.',
    scope: 'write',
    params: WorkspaceParams,
    answers: { 200: Workspace },
    refusals: ['workspaces_disabled', 'workspace_elsewhere'],
  }),
  stopWorkspace: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/stop',
    tag,
    summary: 'Stop a workspace: what runs in it ends, its files are kept',
    description:
      'Terminals and background commands end. After an hour without use it stops by itself, unless the server is configured otherwise.',
    scope: 'write',
    params: WorkspaceParams,
    answers: { 200: Workspace },
    refusals: ['workspace_not_ready'],
  }),
  deleteWorkspace: route({
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    tag,
    summary: 'Delete a workspace with all its files',
    description: 'It cannot be undone. Chats that name it go on without.',
    scope: 'write',
    params: WorkspaceParams,
    answers: { 204: null },
    refusals: [],
  }),
  getChatDiff: route({
    method: 'get',
    path: '/chats/{chat_id}/diff',
    tag,
    summary: "What changed in the repositories of the chat's workspace since it was created",
    description:
      'Commits, changes and files that git does not know yet, of each repository. A chat without a workspace has none.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: WorkspaceDiff },
    refusals: ['workspaces_disabled', 'workspace_not_ready', 'workspace_elsewhere'],
  }),
  getChatContext: route({
    method: 'get',
    path: '/chats/{chat_id}/context',
    tag,
    summary: 'What the next turn begins with: instructions, skills, MCP servers and tools',
    description: 'Told without beginning a turn: MCP servers are not asked, and nothing is kept.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: ChatContext },
    refusals: [],
  }),
  refreshChatContext: route({
    method: 'post',
    path: '/chats/{chat_id}/context/refresh',
    tag,
    summary:
      "Read the instructions and skills of the chat's workspace again, from its next turn on",
    description:
      "They are read once, when the chat first has the workspace, and stay as they were: so the provider's cache goes on to fit.",
    scope: 'write',
    params: ChatParams,
    answers: { 204: null },
    refusals: [],
  }),
};
