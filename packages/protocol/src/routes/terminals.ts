import { z } from 'zod';
import { NoNextCursor } from '../page.ts';
import { routeWith, twoWay } from '../route.ts';
import { TerminalInfo, TerminalQuery } from '../terminal.ts';
import { WorkspaceParams } from './workspaces.ts';

const route = routeWith('Terminals');

export const terminalRoutes = {
  listTerminals: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/terminals',
    summary: 'List the open terminals of a workspace',
    description: 'Lists the terminals on the server that responds.',
    scope: 'read',
    access: 'editor',
    params: WorkspaceParams,
    answers: {
      200: z.object({
        terminals: z.array(TerminalInfo).describe('All terminals, oldest first.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: ['workspaces_disabled'],
  }),
  openTerminal: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/terminal',
    summary: 'Open a terminal in the sandbox of a workspace, or reconnect to one',
    description:
      "The shell has the same files, limits and network access as the agent's commands. It stays open for 10 minutes after a disconnect. Start a stopped workspace first.",
    scope: ['write', 'read'],
    access: 'editor',
    params: WorkspaceParams,
    query: TerminalQuery,
    answers: {
      101: twoWay(
        'A WebSocket. Binary messages are terminal input and output. Text messages are JSON: `TerminalControl` from the client, `TerminalNotice` from the server',
      ),
    },
    refusals: ['invalid_query', 'workspaces_disabled', 'workspace_not_ready', 'machine_offline'],
  }),
};
