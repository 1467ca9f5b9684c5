import { z } from 'zod';
import { NoNextCursor } from '../page.ts';
import { route, twoWay } from '../route.ts';
import { TerminalInfo, TerminalQuery } from '../terminal.ts';
import { WorkspaceParams } from './workspaces.ts';

const tag = 'Terminals';

export const terminalRoutes = {
  listTerminals: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/terminals',
    tag,
    summary: 'List the terminals that are open in a workspace',
    description: 'Of the server that answers.',
    scope: 'read',
    params: WorkspaceParams,
    answers: {
      200: z.object({
        terminals: z.array(TerminalInfo).describe('All of them, oldest first.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: ['workspaces_disabled'],
  }),
  openTerminal: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/terminal',
    tag,
    summary: 'A terminal in the sandbox of a workspace, or one that you had before',
    description:
      'A shell beside the commands of agents, with the same files, limits and network. It goes on for 10 minutes when its connection ends. A stopped workspace is refused: start it first.',
    scope: ['write', 'read'],
    params: WorkspaceParams,
    query: TerminalQuery,
    answers: {
      101: twoWay(
        'A WebSocket: binary messages are what is typed and what is shown; text messages are JSON, `TerminalControl` from the client, `TerminalNotice` from the server',
      ),
    },
    refusals: [
      'invalid_query',
      'workspaces_disabled',
      'workspace_not_ready',
      'workspace_elsewhere',
    ],
  }),
};
