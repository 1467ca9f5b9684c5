import { expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { DEMO_MODEL } from '@chatd/test-server/database';

const { owner, store } = await startTestServer({ concurrency: 4 });

const titled = (id: string, title: string) =>
  eventually(async () => {
    const chat = await owner.ok('getChat', { params: { chat_id: id } });
    expect(chat.title).toBe(title);
    return chat;
  });

test('a chat gets a title after its first turn, and a new one on request', async () => {
  const body = { content: [{ type: 'text', text: 'please say hello to me' }] };
  const { id, title } = await owner.ok('createChat', { body });
  expect(title).toBe('please say hello to me');
  await titled(id, 'Please say hello to me');

  const params = { chat_id: id };
  await owner.ok('updateChat', { params, body: { title: 'Mine' } });
  expect((await owner.ok('regenerateTitle', { params })).title).toBe('Mine');
  await titled(id, 'Please say hello to me');

  const { by_model } = await owner.ok('getChatCost', { params });
  expect(by_model).toMatchObject([{ model_config_id: DEMO_MODEL, calls: 3 }]);
  const usage = await owner.ok('getUsage', { query: { group_by: 'kind' } });
  expect(usage.groups.map(({ key, calls }) => [key, calls])).toEqual([
    ['title', 2],
    ['turn', 1],
  ]);
});

test('a title set at creation is kept when the first turn ends', async () => {
  const body = { content: [{ type: 'text', text: 'say hello' }], title: 'Mine' };
  const { id } = await owner.ok('createChat', { body });
  const later = await owner.ok('createChat', {
    body: { content: [{ type: 'text', text: 'please say hello' }] },
  });
  await titled(later.id, 'Please say hello');
  await eventually(async () => expect((await store.read(id)).status).toBe('waiting'));
  expect((await store.read(id)).title).toBe('Mine');
});
