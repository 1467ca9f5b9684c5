import { DesktopQuery, DesktopStatus } from '../desktop.ts';
import { route, twoWay } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'Desktops';

export const desktopRoutes = {
  getDesktop: route({
    method: 'get',
    path: '/chats/{chat_id}/desktop/status',
    tag,
    summary: "Whether the chat's workspace has a desktop, and who controls it",
    scope: 'read',
    params: ChatParams,
    answers: { 200: DesktopStatus },
    refusals: ['workspaces_disabled'],
  }),
  openDesktop: route({
    method: 'get',
    path: '/chats/{chat_id}/desktop',
    tag,
    summary:
      "Watch the desktop of the chat's workspace, or control it; to control or start it needs the scope write",
    scope: 'read',
    params: ChatParams,
    query: DesktopQuery,
    answers: {
      101: twoWay(
        'A WebSocket: binary messages are RFB, as noVNC speaks it; text messages are JSON about who has control',
      ),
    },
    refusals: [
      'invalid_query',
      'insufficient_scope',
      'no_desktop',
      'workspaces_disabled',
      'workspace_not_ready',
      'workspace_elsewhere',
    ],
  }),
};
