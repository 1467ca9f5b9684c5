import { DesktopQuery, DesktopStatus } from '../desktop.ts';
import { routeWith, twoWay } from '../route.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Desktops');

export const desktopRoutes = {
  getDesktop: route({
    method: 'get',
    path: '/chats/{chat_id}/desktop/status',
    summary: "Get the status of the desktop in the chat's workspace",
    description: 'Does not start a desktop.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    answers: { 200: DesktopStatus },
    refusals: ['workspaces_disabled'],
  }),
  startDesktop: route({
    method: 'post',
    path: '/chats/{chat_id}/desktop/start',
    summary: "Start the desktop in the chat's workspace",
    description: 'Has no effect if it is running.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    answers: { 200: DesktopStatus },
    refusals: ['no_desktop', 'workspaces_disabled', 'workspace_not_ready', 'machine_offline'],
    secret: true,
  }),
  openDesktop: route({
    method: 'get',
    path: '/chats/{chat_id}/desktop',
    summary: "View or control the desktop in the chat's workspace",
    description:
      'Compatible with noVNC and other RFB clients. Controlling or starting a desktop requires the `write` scope. While a user is in control, actions of agents wait. Closing the connection returns control.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    query: DesktopQuery,
    answers: {
      101: twoWay(
        'A WebSocket. Binary messages are RFB 3.8. Text messages are JSON: `DesktopRequest` from the client, `DesktopNotice` from the server',
      ),
    },
    refusals: [
      'invalid_query',
      'insufficient_scope',
      'role_required',
      'no_desktop',
      'workspaces_disabled',
      'workspace_not_ready',
      'machine_offline',
    ],
  }),
};
