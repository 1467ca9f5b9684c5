import { z } from 'zod';
import { NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import { ChatSharing, NewChatSharing, Participant } from '../sharing.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Sharing');

export const sharingRoutes = {
  getChatSharing: route({
    method: 'get',
    path: '/chats/{chat_id}/sharing',
    summary: 'Get who can access a chat',
    description: 'For the owner and admins. Subagents are shared with their root chat.',
    scope: 'read',
    anyOwner: true,
    params: ChatParams,
    answers: { 200: ChatSharing },
    refusals: ['not_a_root_chat'],
  }),
  replaceChatSharing: route({
    method: 'put',
    path: '/chats/{chat_id}/sharing',
    summary: 'Share a chat with users, groups, everyone, or by a link',
    description:
      "Replaces all grants and the link; for the owner and admins. The chat keeps running with its owner's model keys, budget and workspace. Access that ends closes open streams, terminals and desktops immediately. Links also require that an admin sets `allow_chat_links`.",
    scope: 'write',
    anyOwner: true,
    params: ChatParams,
    body: NewChatSharing,
    answers: { 200: ChatSharing },
    refusals: ['not_a_root_chat', 'unknown_user', 'unknown_group', 'links_disabled'],
    audit: { action: 'chat.share', values: ['grants', 'link'] },
    secret: true,
  }),
  listParticipants: route({
    method: 'get',
    path: '/chats/{chat_id}/participants',
    summary: 'List the names of the owner and of all users who have written messages',
    description: 'Use it to show the names of `created_by`.',
    scope: 'read',
    access: 'viewer',
    link: true,
    params: ChatParams,
    answers: {
      200: z.object({
        participants: z.array(Participant).describe('The owner first, then by user name.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
};
