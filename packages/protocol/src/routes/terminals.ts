import { z } from 'zod';
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
    scope: 'read',
    params: WorkspaceParams,
    answers: { 200: z.object({ terminals: z.array(TerminalInfo) }) },
    refusals: ['workspaces_disabled'],
  }),
  openTerminal: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/terminal',
    tag,
    summary: 'A terminal in the sandbox of a workspace, or one that you had before',
    scope: 'write',
    params: WorkspaceParams,
    query: TerminalQuery,
    answers: {
      101: twoWay(
        'A WebSocket: binary messages are what is typed and what is shown, text messages are JSON',
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
