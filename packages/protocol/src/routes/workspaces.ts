import { z } from 'zod';
import { ChatContext } from '../chat-context.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { route } from '../route.ts';
import { Workspace, WorkspaceDiff, WorkspaceWithLog } from '../workspace.ts';
import { ChatParams } from './chats.ts';

const tag = 'Workspaces';
export const WorkspaceParams = z.strictObject({ workspace_id: Uuid });

const WorkspaceName = z.string().trim().min(1).max(100);

export const workspaceRoutes = {
  listWorkspaces: route({
    method: 'get',
    path: '/workspaces',
    tag,
    summary: 'List your workspaces, newest first',
    scope: 'read',
    query: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
    answers: { 200: z.object({ workspaces: z.array(Workspace), next_cursor: NextCursor }) },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createWorkspace: route({
    method: 'post',
    path: '/workspaces',
    tag,
    summary: 'Make a workspace from a template; it is ready when its set-up has run',
    scope: 'write',
    body: z.strictObject({ template_id: Uuid, name: WorkspaceName.optional() }),
    answers: { 201: Workspace },
    refusals: ['unknown_template', 'workspaces_disabled'],
  }),
  getWorkspace: route({
    method: 'get',
    path: '/workspaces/{workspace_id}',
    tag,
    summary: 'Get a workspace, with the end of the output of its set-up',
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
    scope: 'write',
    params: ChatParams,
    answers: { 204: null },
    refusals: [],
  }),
};
