import type { PlainApi } from '../../packages/server/test/upgrade/observe.ts';
import { until, untilStatus } from '../../packages/server/test/upgrade/dump/until.ts';
import { documentOf, hasRoute } from './api-walk.ts';

interface Made {
  readonly id: string;
}

interface Maker {
  readonly admin: PlainApi;
  readonly member: PlainApi;
  /** An answered chat of the member. */
  readonly chat: string;
}

interface Kind {
  readonly name: string;
  /** A version without this route lacks the kind. */
  readonly route: readonly [method: string, path: string];
  readonly make: (maker: Maker) => Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'projects',
    route: ['post', '/projects'],
    async make({ member }) {
      const { id } = await member.post<Made>('/projects', {
        name: 'Shop',
        instructions: 'Be brief.',
      });
      const chat = await member.post<Made>('/chats', { content: 'say sold', project_id: id });
      await untilStatus(member, chat.id, 'waiting');
    },
  },
  {
    name: 'versions',
    route: ['post', '/chats/{chat_id}/messages/{message_id}/regenerate'],
    async make({ member, chat }) {
      const { messages } = await member.get<{ messages: { id: number; role: string }[] }>(
        `/chats/${chat}/messages`,
      );
      const answer = messages.findLast(({ role }) => role === 'assistant');
      await member.post(`/chats/${chat}/messages/${answer?.id}/regenerate`);
      await untilStatus(member, chat, 'waiting');
    },
  },
  {
    name: 'machines',
    route: ['post', '/machines'],
    make: ({ admin }) =>
      admin.post('/machines', { name: 'not-connected', labels: { size: 'small' } }),
  },
  {
    name: 'groups',
    route: ['post', '/groups'],
    async make({ admin, member }) {
      const me = await member.get<Made>('/users/me');
      const { id } = await admin.post<Made>('/groups', {
        name: 'Research',
        spend_limit_micros: 500_000_000,
      });
      await admin.call('PATCH', `/groups/${id}/members`, { add: [me.id] });
    },
  },
  {
    name: 'grants and links',
    route: ['put', '/chats/{chat_id}/sharing'],
    async make({ admin, member, chat }) {
      await admin.call('PATCH', '/settings', { allow_chat_links: true });
      await until('links are allowed', async () => {
        const { status } = await member.try('PUT', `/chats/${chat}/sharing`, {
          grants: [{ everyone: true, role: 'viewer' }],
          link: {},
        });
        return status === 200;
      });
    },
  },
  {
    name: 'triggers',
    route: ['post', '/triggers'],
    async make({ member }) {
      await member.post('/triggers', {
        kind: 'schedule',
        name: 'Nightly update',
        cron: '0 3 1 1 *',
        timezone: 'Europe/Berlin',
        prompt: 'say updated',
      });
      const { id } = await member.post<Made>('/triggers', {
        kind: 'webhook',
        name: 'On push',
        verify: { type: 'token' },
        prompt: 'say pushed',
      });
      await member.post(`/triggers/${id}/run`, {});
      await until('the run has ended', async () => {
        const { runs } = await member.get<{ runs: { status: string }[] }>(`/triggers/${id}/runs`);
        return runs.some(({ status }) => status === 'done');
      });
    },
  },
  {
    name: 'webhooks',
    route: ['post', '/webhooks'],
    // Nothing listens there, so deliveries wait for their next attempt. Only admins can use private addresses.
    async make({ admin }) {
      await admin.post('/webhooks', { url: 'http://127.0.0.1:1/chatd', events: ['chat.waiting'] });
      const { id } = await admin.post<Made>('/chats', { content: 'say delivered' });
      await untilStatus(admin, id, 'waiting');
    },
  },
];

/** Makes what only newer versions have, as far as this one has it. Returns the names of the kinds. */
export async function makeRecentKinds(maker: Maker): Promise<string[]> {
  const document = await documentOf(maker.admin);
  const known = KINDS.filter(({ route: [method, path] }) => hasRoute(document, method, path));
  for (const { make } of known) await make(maker);
  return known.map(({ name }) => name);
}
