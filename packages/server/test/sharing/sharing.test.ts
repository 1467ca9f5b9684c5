import { randomUUID } from 'node:crypto';
import type { Chat, ChatError, NewChatSharing, Participant } from '@chatd/protocol';
import { type ApiClient, startServerOn, startTestServer } from '@chatd/test-server';
import { execute, says } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { describe, expect, test } from 'vitest';
import { type Connection, eventStream } from '../stream/clients.ts';

// Two replicas that share a bus, and one with its own bus.
const server = await startTestServer();
const { admin, owner, store, databaseUrl } = server;
const elsewhere = await startServerOn(databaseUrl);
const isolated = await startServerOn(
  databaseUrl,
  { busUrl: 'memory:' },
  { streams: { timing: { revokedMs: 50 } } },
);
const allowLinks = (allow_chat_links: boolean) =>
  admin.ok('updateSettings', { body: { allow_chat_links } });
await allowLinks(true);
const { username: ownerName } = await owner.ok('getMe');

interface Person {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** Clients of the first and of the second replica. */
  readonly here: ApiClient;
  readonly there: ApiClient;
}

async function person(): Promise<Person> {
  const username = `guest-${randomUUID().slice(0, 8)}`;
  const { id } = await admin.ok('createUser', { body: { username } });
  const { token } = await admin.ok('createToken', { body: { name: 'test', user_id: id } });
  return { id, name: username, token, here: server.as(token), there: elsewhere.as(token) };
}

const at = (chat_id: string) => ({ params: { chat_id } });
const share = (chatId: string, body: NewChatSharing, by: ApiClient = owner) =>
  by.ok('replaceChatSharing', { ...at(chatId), body });
const grant = (chatId: string, { id }: Person, role: 'viewer' | 'editor') =>
  share(chatId, { grants: [{ user_id: id, role }] });
const follow = (client: ApiClient, chatId: string) =>
  eventStream(client, `/chats/${chatId}/stream`);
const linkOf = ({ link }: { link?: { url?: string | undefined } | undefined }) =>
  link?.url?.split('#')[1] ?? '';

/** A chat with an answer that has a cost. */
async function answered(owner_id: string = store.owner): Promise<string> {
  const { id } = await store.create({ system_prompt: 'private', labels: { team: 'x' }, owner_id });
  const fence = await store.take(id);
  const message = { ...says('hello'), cost_micros: 5 };
  const step = await store.runner.commitStep(id, fence, { messages: [message], attempt: 0 });
  await store.runner.finishTurn(id, { ...fence, history_version: step.history_version });
  return id;
}

/** Everything that a guest sees of a failed chat. */
async function seen(client: ApiClient, id: string, isLink: boolean): Promise<string> {
  const streamed = await follow(client, id);
  await streamed.received.until(({ events }) => events.some(({ type }) => type === 'error'));
  streamed.close();
  const replies = [await client.call('getChat', at(id))];
  if (!isLink) {
    replies.push(
      await client.call('exportChat', at(id)),
      await client.call('listChats', { query: { shared: 'with_me' } }),
    );
  }
  return JSON.stringify([streamed.received.events, replies.map(({ text }) => text)]);
}

describe('guests', () => {
  test('see a chat without the configuration and costs of its owner', async () => {
    const [id, guest] = [await answered(), await person()];
    expect(await guest.there.refusal('getChat', at(id))).toBe('404 not_found');
    await grant(id, guest, 'viewer');
    const chat = await guest.there.ok('getChat', at(id));
    expect(chat).toMatchObject({ role: 'viewer', owner_name: ownerName, labels: {} });
    expect(chat).not.toHaveProperty('system_prompt');
    expect(await owner.ok('getChat', at(id))).toMatchObject({ system_prompt: 'private' });

    const costs = async (client: ApiClient) => {
      const { messages } = await client.ok('listMessages', at(id));
      const streamed = await follow(client, id);
      await streamed.received.until(({ events }) => events.some(({ status }) => status));
      streamed.close();
      const live = streamed.received.events.flatMap(({ message }) => message ?? []);
      const exported = await client.call('exportChat', at(id));
      const all = [...messages, ...live] as { cost_micros?: number }[];
      return [all.map(({ cost_micros }) => cost_micros), exported.text.includes('cost_micros')];
    };
    expect(await costs(owner)).toEqual([[undefined, 5, undefined, 5], true]);
    expect(await costs(guest.there)).toEqual([Array.from({ length: 4 }), false]);
  });

  test('see that a turn failed, without amounts, groups, and provider details', async () => {
    const guest = await person();
    const failed = async (error: ChatError) => {
      const { id } = await store.create({ title: error.kind });
      await store.runner.fail(id, await store.take(id), error);
      await share(id, { grants: [{ user_id: guest.id, role: 'editor' }], link: {} });
      return id;
    };
    const limit = await failed({
      kind: 'spend_limit',
      message: 'The limit of the group Physics, $12.34, is reached.',
      retryable: false,
    });
    const config = await failed({
      kind: 'config',
      message: 'The provider refused the request.',
      detail: 'Organization org-secret: quota $12.34.',
      provider: 'Private endpoint',
      retryable: false,
    });
    const links = { link: { renew: true } };
    for (const [id, shown] of [
      [limit, 'A spending limit of the owner of this chat is reached.'],
      [config, 'The provider refused the request.'],
    ] as const) {
      const link = server.as(linkOf(await share(id, { grants: [], ...links })));
      const byLink = await seen(link, id, true);
      await grant(id, guest, 'editor');
      const byGrant = await seen(guest.there, id, false);
      for (const text of [byLink, byGrant]) {
        expect(text).toContain(shown);
        expect(text).not.toMatch(/12\.34|Physics|org-secret|Private endpoint/);
      }
      expect(JSON.stringify(await owner.ok('getChat', at(id)))).toContain('12.34');
    }
  });

  test('with the role editor send messages in their own name, and the model gets the name', async () => {
    const [id, guest] = [await answered(), await person()];
    await grant(id, guest, 'editor');
    const send = (client: ApiClient, content: string) =>
      client.ok('sendMessage', { ...at(id), body: { content } });
    const first = await send(guest.there, 'direct');
    expect(first).toMatchObject({ queued: false, message: { created_by: guest.id } });
    const second = await send(guest.there, 'queued');
    expect(second).toMatchObject({ queued: true, queued_message: { created_by: guest.id } });
    await send(owner, 'by the owner');
    // A user who changes the text of a queued message becomes its sender.
    const { queued_messages: queue } = await owner.ok('listMessages', at(id));
    await owner.ok('updateQueuedMessage', {
      params: { chat_id: id, queued_message_id: queue[0]?.id ?? 0 },
      body: { content: 'corrected' },
    });
    await guest.here.ok('updateQueuedMessage', {
      params: { chat_id: id, queued_message_id: queue[1]?.id ?? 0 },
      body: { content: 'corrected, too' },
    });
    await owner.ok('updateQueuedMessage', {
      params: { chat_id: id, queued_message_id: queue[1]?.id ?? 0 },
      body: { busy_behavior: 'steer' },
    });
    const { runner_id, history_version } = await store.take(id);
    let version = history_version;
    for (let status = 'running'; status === 'running';) {
      const now = { runner_id, history_version: version };
      const step = { messages: [says('x')], attempt: 0 };
      const committed = await store.runner.commitStep(id, now, step);
      const ended = await store.runner.finishTurn(id, {
        runner_id,
        history_version: committed.history_version,
      });
      version = ended.history_version;
      status = ended.status;
    }
    const rows = await execute<{ text: string; created_by: string; author: string | null }>(
      databaseUrl,
      `SELECT content -> 0 ->> 'text' AS text, created_by, meta ->> 'author' AS author
         FROM messages WHERE chat_id = '${id}' AND role = 'user' ORDER BY id`,
    );
    expect(rows.slice(1)).toEqual([
      { text: 'direct', created_by: guest.id, author: guest.name },
      { text: 'corrected, too', created_by: guest.id, author: guest.name },
      { text: 'corrected', created_by: store.owner, author: null },
    ]);
    const { participants } = await guest.here.ok('listParticipants', at(id));
    expect(participants.map(({ username }) => username)).toEqual([ownerName, guest.name]);

    const { messages } = await owner.ok('listMessages', at(id));
    const edit = (client: ApiClient) =>
      client.ok('editMessage', {
        params: { chat_id: id, message_id: messages[0]?.id ?? 0 },
        body: { content: 'edited' },
      });
    const authorNow = async () =>
      (
        await execute<{ author: string | null }>(
          databaseUrl,
          `SELECT meta ->> 'author' AS author FROM messages WHERE chat_id = '${id}' LIMIT 1`,
        )
      )[0]?.author;
    await edit(guest.here);
    expect(await authorNow()).toBe(guest.name);
    await edit(owner);
    expect(await authorNow()).toBeNull();
  });

  test('get refusals that name the owner and the required role', async () => {
    const [id, guest] = [await answered(), await person()];
    await grant(id, guest, 'editor');
    const model_config_id = (await owner.ok('getChat', at(id))).model_config_id;
    const refusals = await Promise.all([
      guest.here.refused('deleteChat', at(id)),
      guest.here.refused('sendMessage', { ...at(id), body: { content: 'x', model_config_id } }),
      guest.here.refused('decideApprovals', {
        ...at(id),
        body: { decisions: [{ tool_call_id: 'c', decision: 'allow', remember: 'always' }] },
      }),
    ]);
    for (const { code, detail } of refusals) {
      expect(code).toBe('role_required');
      expect(detail).toContain(ownerName);
    }
    await grant(id, guest, 'viewer');
    const { detail } = await guest.here.refused('sendMessage', {
      ...at(id),
      body: { content: 'x' },
    });
    expect(detail).toContain('role editor');
    expect(detail).toContain(ownerName);
  });

  test('have their own lists and read marks', async () => {
    const [id, guest] = [await answered(), await person()];
    await grant(id, guest, 'viewer');
    const list = async (): Promise<Chat[]> =>
      (await guest.there.ok('listChats', { query: { shared: 'with_me' } })).chats;
    expect(await list()).toMatchObject([{ id, has_unread: true, role: 'viewer' }]);
    expect((await guest.there.ok('listChats')).chats).toEqual([]);
    const { messages } = await guest.here.ok('listMessages', at(id));
    const body = { message_id: messages.at(-1)?.id };
    await guest.here.ok('markChatRead', { ...at(id), body });
    expect(await list()).toMatchObject([{ id, has_unread: false }]);
    expect((await owner.ok('getChat', at(id))).has_unread).toBe(true);
    expect(
      await guest.here.refusal('listChats', { query: { shared: 'with_me', q: 'hello' } }),
    ).toBe('400 invalid_query');
  });

  test('see subagents, and the files in messages of all users', async () => {
    const [id, guest, viewer] = [await answered(), await person(), await person()];
    const child = await store.create({ parent: { id, root_chat_id: null } });
    await share(id, {
      grants: [
        { user_id: guest.id, role: 'editor' },
        { username: viewer.name, role: 'viewer' },
      ],
    });
    const { chats } = await viewer.here.ok('listChats', { query: { parent_chat_id: id } });
    expect(chats).toMatchObject([{ id: child.id, role: 'viewer' }]);
    expect(await viewer.here.ok('getChat', at(child.id))).toMatchObject({ role: 'viewer' });
    expect(
      await viewer.here.refusal('replaceChatSharing', { ...at(child.id), body: { grants: [] } }),
    ).toBe('403 role_required');
    const file = await guest.here.ok('uploadFile', {
      query: { name: 'a.txt' },
      raw: 'shown',
      headers: { 'content-type': 'text/plain' },
    });
    const read = (client: ApiClient) => client.call('getFile', { params: { file_id: file.id } });
    expect((await read(owner)).status).toBe(404);
    const content = [{ type: 'file', file_id: file.id }];
    await guest.here.ok('sendMessage', { ...at(id), body: { content } });
    for (const client of [owner, guest.there, viewer.there]) {
      expect((await read(client)).text).toBe('shown');
    }
    expect((await read(server.stranger)).status).toBe(404);
    expect(await owner.refusal('deleteFile', { params: { file_id: file.id } })).toBe(
      '403 role_required',
    );
  });
});

describe('sharing', () => {
  test('accepts only existing users and groups, each once, and not the owner', async () => {
    const [id, guest] = [await answered(), await person()];
    const refusal = (grants: object[], by = owner) =>
      by.refusal('replaceChatSharing', { ...at(id), body: { grants } });
    const viewer = { user_id: guest.id, role: 'viewer' };
    expect(await refusal([{ username: 'nobody-here', role: 'viewer' }])).toBe('400 unknown_user');
    expect(await refusal([{ group_id: randomUUID(), role: 'viewer' }])).toBe('400 unknown_group');
    expect(await refusal([viewer, { username: guest.name, role: 'editor' }])).toBe(
      '400 invalid_body',
    );
    expect(await refusal([{ user_id: store.owner, role: 'viewer' }])).toBe('400 invalid_body');
    expect(await refusal([{ ...viewer, everyone: true }])).toBe('400 invalid_body');
    const group = await admin.ok('createGroup', { body: { name: randomUUID() } });
    const inGroup = { group_id: group.id, role: 'viewer' };
    // An owner can name only their own groups and those that an admin has added.
    expect(await refusal([inGroup])).toBe('400 unknown_group');
    await share(id, { grants: [{ group_id: group.id, role: 'viewer' }] }, admin);
    const { grants } = await share(id, { grants: [{ group_id: group.id, role: 'editor' }] });
    expect(grants).toEqual([{ group_id: group.id, group_name: group.name, role: 'editor' }]);
  });

  test('is recorded in the audit log, without the secret of the link', async () => {
    const [id, guest] = [await answered(), await person()];
    const shared = await share(id, {
      grants: [{ user_id: guest.id, role: 'viewer' }],
      link: { expires_at: '2999-01-01T00:00:00Z' },
    });
    expect(linkOf(shared)).toMatch(/^chatd_link_[\w-]{43}$/);
    const { audit_events: events } = await admin.ok('listAuditEvents', {
      query: { target_id: id },
    });
    expect(events).toMatchObject([
      { action: 'chat.share', detail: { grants: [{ user_id: guest.id, role: 'viewer' }] } },
    ]);
    expect(JSON.stringify(events)).not.toContain(linkOf(shared));
    // The same link is kept without its secret, until it is renewed.
    const kept = await share(id, { grants: [], link: {} });
    expect(kept.link).not.toHaveProperty('url');
    expect((await server.as(linkOf(shared)).call('getChat', at(id))).status).toBe(200);
    const renewed = await share(id, { grants: [], link: { renew: true } });
    expect((await server.as(linkOf(renewed)).call('getChat', at(id))).status).toBe(200);
    expect(await server.as(linkOf(shared)).refusal('getChat', at(id))).toBe('401 unauthenticated');
  });

  test('by a link requires that an admin allows links', async () => {
    const id = await answered();
    await admin.ok('updateSettings', { body: { allow_chat_links: false } });
    expect(
      await owner.refusal('replaceChatSharing', { ...at(id), body: { grants: [], link: {} } }),
    ).toBe('409 links_disabled');
    await admin.ok('updateSettings', { body: { allow_chat_links: true } });
    const link = server.as(linkOf(await share(id, { grants: [], link: {} })));
    const another = await answered();
    expect((await link.ok('getChat', at(id))).role).toBe('viewer');
    expect(await link.refusal('getChat', at(another))).toBe('404 not_found');
    expect(await link.refusal('listChats')).toBe('403 insufficient_scope');
  });
});

/** The ways in which the access of a guest to a chat can end. */
const ENDINGS: Readonly<
  Record<
    string,
    (
      chatId: string,
      guest: Person,
    ) => Promise<{
      /** Used instead of the token of the guest. */
      client?: string;
      /** Used instead of the first chat. */
      chat?: string;
      end(): Promise<unknown>;
      undo?(): Promise<unknown>;
    }>
  >
> = {
  'the grant is removed': async (id, guest) => {
    await grant(id, guest, 'viewer');
    return { end: () => share(id, { grants: [] }) };
  },
  'the grant for everyone is removed': async (id) => {
    await share(id, { grants: [{ everyone: true, role: 'editor' }] });
    return { end: () => share(id, { grants: [] }) };
  },
  'the user leaves the group': async (id, guest) => {
    const { id: group_id } = await admin.ok('createGroup', { body: { name: randomUUID() } });
    const change = (body: object) => admin.ok('updateGroupMembers', { params: { group_id }, body });
    await change({ add: [guest.id] });
    await share(id, { grants: [{ group_id, role: 'viewer' }] }, admin);
    return { end: () => change({ remove: [guest.id] }) };
  },
  'the group is deleted': async (id, guest) => {
    const { id: group_id } = await admin.ok('createGroup', { body: { name: randomUUID() } });
    await admin.ok('updateGroupMembers', { params: { group_id }, body: { add: [guest.id] } });
    await share(id, { grants: [{ group_id, role: 'viewer' }] }, admin);
    return { end: () => admin.ok('deleteGroup', { params: { group_id } }) };
  },
  'the user is suspended': async (id, guest) => {
    await grant(id, guest, 'editor');
    const params = { user_id: guest.id };
    return { end: () => admin.ok('updateUser', { params, body: { suspended: true } }) };
  },
  'the chat is deleted': async (id, guest) => {
    await grant(id, guest, 'editor');
    return { end: () => owner.ok('deleteChat', at(id)) };
  },
  'the link is revoked': async (id) => {
    const shared = await share(id, { grants: [], link: {} });
    return { client: linkOf(shared), end: () => share(id, { grants: [] }) };
  },
  'the link expires': async (id) => {
    const link = { expires_at: '2999-01-01T00:00:00Z' };
    const shared = await share(id, { grants: [], link });
    const end = () =>
      execute(
        databaseUrl,
        `UPDATE chat_links SET expires_at = now() - interval '1 s' WHERE chat_id = '${id}'`,
      );
    return { client: linkOf(shared), end };
  },
  'an admin turns links off': async (id) => {
    const shared = await share(id, { grants: [], link: {} });
    return { client: linkOf(shared), end: () => allowLinks(false), undo: () => allowLinks(true) };
  },
  'the owner of the link is suspended': async (_, host) => {
    const chat = await answered(host.id);
    const shared = await share(chat, { grants: [], link: {} }, host.here);
    const params = { user_id: host.id };
    const end = () => admin.ok('updateUser', { params, body: { suspended: true } });
    return { client: linkOf(shared), chat, end };
  },
};

describe.each([
  ['another replica', elsewhere],
  ['a replica without a shared bus', isolated],
])('revocation on %s', (_, replica) => {
  test.each(Object.entries(ENDINGS))('%s: the stream ends', async (__, begin) => {
    const [first, guest] = [await answered(), await person()];
    const { client: secret = guest.token, chat: id = first, ...access } = await begin(first, guest);
    const client = replica.as(secret);
    const stream = await follow(client, id);
    await stream.received.until(({ events }) => events.some(({ status }) => status === 'waiting'));
    await access.end();
    await stream.received.ended();
    await eventually(async () =>
      expect([401, 404]).toContain((await client.call('getChat', at(id))).status),
    );
    await access.undo?.();
  });
});

const snapshots = ({ received }: Connection): string[][] =>
  received.events
    .filter(({ type }) => type === 'snapshot')
    .map(({ chats }) => (chats as Chat[]).map(({ id }) => id));

test('a watcher gets a chat when it is shared, then its changes, and loses it when sharing ends', async () => {
  const [id, guest] = [await answered(), await person()];
  const watch = await eventStream(guest.there, '/watch');
  await watch.received.until(() => snapshots(watch).length === 1);
  expect(snapshots(watch)).toEqual([[]]);
  await grant(id, guest, 'viewer');
  await watch.received.until(() => snapshots(watch).at(-1)?.[0] === id);
  await owner.ok('updateChat', { ...at(id), body: { title: 'Renamed' } });
  await watch.received.until(({ events }) => events.some(({ type }) => type === 'title_change'));
  const { chat } = watch.received.events.find(({ type }) => type === 'title_change') ?? {};
  expect(chat).toMatchObject({ id, title: 'Renamed', role: 'viewer', labels: {} });
  const { messages } = await guest.here.ok('listMessages', at(id));
  await guest.here.ok('markChatRead', { ...at(id), body: { message_id: messages.at(-1)?.id } });
  await watch.received.until(({ events }) =>
    events.some((event) => event.type === 'changed' && !(event['chat'] as Chat).has_unread),
  );
  await share(id, { grants: [] });
  await watch.received.until(() => snapshots(watch).at(-1)?.length === 0);
  const count = watch.received.events.length;
  await owner.ok('updateChat', { ...at(id), body: { title: 'Hidden' } });
  await owner.ok('updateChat', { ...at(await answered()), body: { title: 'Never shared' } });
  expect(watch.received.events.slice(count).filter(({ type }) => type !== 'ping')).toEqual([]);
  watch.close();
});

const viewersOf = ({ received }: Connection) => {
  const event = received.events.findLast(({ type }) => type === 'viewers');
  const names = (event?.['viewers'] as Participant[] | undefined)?.map(({ username }) => username);
  return { names, links: event?.['link_viewers'] };
};

test('viewers of a chat see each other across replicas', async () => {
  const [id, guest] = [await answered(), await person()];
  const link = linkOf(
    await share(id, { grants: [{ user_id: guest.id, role: 'viewer' }], link: {} }),
  );
  const sees = (stream: Connection, names: string[], links: number) =>
    eventually(() => expect(viewersOf(stream)).toEqual({ names: names.toSorted(), links }));
  const first = await follow(owner, id);
  await first.received.until(({ events }) => events.some(({ status }) => status === 'waiting'));
  const second = await follow(guest.there, id);
  await Promise.all([first, second].map((one) => sees(one, [ownerName, guest.name], 0)));
  const third = await follow(elsewhere.as(link), id);
  await Promise.all([first, second].map((one) => sees(one, [ownerName, guest.name], 1)));
  await third.received.until(({ events }) => events.some(({ status }) => status === 'waiting'));
  expect(viewersOf(third).names).toBeUndefined();
  third.close();
  second.close();
  await sees(first, [ownerName], 0);
  first.close();
});
