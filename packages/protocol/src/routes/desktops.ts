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
    description: 'Nothing is started by it.',
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
    description:
      'As noVNC and other clients speak it. While a person has control, actions of agents wait; control is given back when the connection ends.',
    scope: 'read',
    params: ChatParams,
    query: DesktopQuery,
    answers: {
      101: twoWay(
        'A WebSocket: binary messages are RFB 3.8, text messages are JSON about who has control, `DesktopRequest` from the client, `DesktopNotice` from the server',
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
