import { z } from 'zod';
import { ChatContext } from '../chat-context.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import { Workspace, WorkspaceDiff, WorkspaceWithLog } from '../workspace.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Workspaces');
export const WorkspaceParams = z.strictObject({
  workspace_id: Uuid.describe(
    'One of your workspaces, or the workspace of a chat shared with you.',
  ),
});

const WorkspaceName = z.string().trim().min(1).max(100);

export const workspaceRoutes = {
  listWorkspaces: route({
    method: 'get',
    path: '/workspaces',
    summary: 'List your workspaces, newest first',
    description: 'Omits deleted workspaces.',
    scope: 'read',
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        workspaces: z.array(Workspace).describe('One page of workspaces.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createWorkspace: route({
    method: 'post',
    path: '/workspaces',
    summary: 'Create a workspace from a template',
    description:
      "Responds immediately with the status `creating`. Pass it to a chat as `workspace_id`; the chat's tools wait for the setup to finish.",
    scope: 'write',
    body: z.strictObject({
      template_id: Uuid.describe(
        'Template, from `listTemplates`. The workspace gets a copy of it.',
      ),
      name: WorkspaceName.optional().describe(
        'Name of the workspace. Default: the name of the template.',
      ),
    }),
    answers: { 201: Workspace },
    refusals: ['unknown_template', 'workspaces_disabled', 'quota_exceeded', 'no_machine'],
  }),
  getWorkspace: route({
    method: 'get',
    path: '/workspaces/{workspace_id}',
    summary: 'Get a workspace with the end of its setup output',
    description: 'Poll it to follow the setup.',
    scope: 'read',
    access: 'viewer',
    params: WorkspaceParams,
    answers: { 200: WorkspaceWithLog },
  }),
  startWorkspace: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/start',
    summary: 'Start a stopped workspace, or repeat a failed setup',
    description:
      'Has no effect on a workspace that is ready. Files are kept; earlier processes are not restarted.',
    scope: 'write',
    access: 'editor',
    params: WorkspaceParams,
    answers: { 200: Workspace },
    refusals: ['workspaces_disabled', 'machine_offline'],
  }),
  stopWorkspace: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/stop',
    summary: 'Stop a workspace; its files are kept',
    description:
      'Ends terminals and background commands. By default, a workspace stops after one hour without use.',
    scope: 'write',
    params: WorkspaceParams,
    answers: { 200: Workspace },
    refusals: ['workspace_not_ready'],
  }),
  deleteWorkspace: route({
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    summary: 'Delete a workspace with all its files',
    description: 'Cannot be undone. Chats continue without a workspace.',
    scope: 'write',
    params: WorkspaceParams,
    answers: { 204: null },
    audit: { action: 'workspace.delete' },
  }),
  getChatDiff: route({
    method: 'get',
    path: '/chats/{chat_id}/diff',
    summary: "Get the changes in the chat's workspace since its creation",
    description:
      'Commits, uncommitted changes and untracked files of each repository. Empty if the chat has no workspace.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    answers: { 200: WorkspaceDiff },
    refusals: ['workspaces_disabled', 'workspace_not_ready', 'machine_offline'],
  }),
  getChatContext: route({
    method: 'get',
    path: '/chats/{chat_id}/context',
    summary: 'Get what the next turn starts with: instructions, skills, MCP servers and tools',
    description: 'Does not start a turn, connect to MCP servers or store anything.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: ChatContext },
  }),
  refreshChatContext: route({
    method: 'post',
    path: '/chats/{chat_id}/context/refresh',
    summary: "Reread the instructions and skills of the chat's workspace in the next turn",
    description:
      "They are read once, when the chat first uses the workspace, and then stay the same so that the provider's prompt cache remains valid.",
    scope: 'write',
    params: ChatParams,
    answers: { 204: null },
  }),
};
