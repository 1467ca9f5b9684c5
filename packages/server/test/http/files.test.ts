import { expect, test } from 'vitest';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const { owner, store, url } = await startTestServer();

const upload = (name: string, raw: string | Buffer, type: string) =>
  owner.ok('uploadFile', { query: { name }, raw, headers: { 'content-type': type } });

test('a file is downloaded unchanged, as a sandboxed attachment', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
  const file = await upload('Überblick "1".html', bytes, 'Text/HTML; charset=utf-8');
  expect(file).toMatchObject({ size: 70_000, media_type: 'text/html', name: 'Überblick "1".html' });
  const { headers: auth } = owner;
  const response = await fetch(`${url}/api/v1/files/${file.id}`, { headers: auth });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  const header = (name: string) => response.headers.get(name);
  expect(header('content-type')).toBe('text/html');
  expect(header('content-disposition')).toBe(
    `attachment; filename="_berblick _1_.html"; filename*=UTF-8''%C3%9Cberblick%20%221%22.html`,
  );
  expect(header('content-security-policy')).toContain('sandbox');
  expect(header('x-content-type-options')).toBe('nosniff');
});

test('a file of 10 MiB and an empty file can be stored', async () => {
  expect(await upload('big', Buffer.alloc(10 * 1024 * 1024), 'image/png')).toMatchObject({
    size: 10 * 1024 * 1024,
  });
  expect(await upload('empty', '', 'text/plain')).toMatchObject({ size: 0 });
});

test('a file in a message has the type and name of its upload', async () => {
  const file = await upload('plan.pdf', '%PDF-1.7', 'application/pdf');
  const { chatId } = await inState(store, 'waiting');
  const sent = await owner.ok('sendMessage', {
    params: { chat_id: chatId },
    body: { content: [{ type: 'file', file_id: file.id.toUpperCase() }] },
  });
  expect(sent).toMatchObject({
    message: {
      content: [
        { type: 'file', file_id: file.id, media_type: 'application/pdf', name: 'plan.pdf' },
      ],
    },
  });
});

test('a deleted file returns 404', async () => {
  const file = await upload('a', 'x', 'text/plain');
  const params = { file_id: file.id };
  await owner.ok('deleteFile', { params });
  expect(await owner.refusal('getFile', { params })).toBe('404 not_found');
  expect(await owner.refusal('deleteFile', { params })).toBe('404 not_found');
});

test('an export is a download of all messages', async () => {
  const { chatId } = await inState(store, 'requires_action');
  const params = { chat_id: chatId };
  await owner.ok('updateChat', { params, body: { title: 'Ängste/1\n2' } });
  const json = await owner.call('exportChat', { params });
  expect(json.headers.get('content-type')).toBe('application/json');
  expect(json.headers.get('content-disposition')).toMatch(/^attachment; filename=".*\.json"/);
  const { chat, messages } = JSON.parse(json.text) as Record<string, unknown>;
  expect(chat).toEqual(await owner.ok('getChat', { params }));
  expect(messages).toEqual((await owner.ok('listMessages', { params })).messages);
  const markdown = await owner.call('exportChat', { params, query: { format: 'markdown' } });
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(markdown.text).toContain('# Ängste/1 2\n');
  expect(markdown.text).toContain('**Call** `add`');
  expect(markdown.text.match(/^## /gm)).toHaveLength((messages as unknown[]).length);
});

test.each(['a/b', '..', 'invoice\u202egpj.exe', 'x'.repeat(256)])(
  'an upload cannot be named %j',
  async (name) => {
    const headers = { 'content-type': 'text/plain' };
    expect(await owner.refusal('uploadFile', { query: { name }, raw: 'x', headers })).toBe(
      '400 invalid_query',
    );
  },
);

const named = (...ids: string[]) => ({
  content: ids.map((file_id) => ({ type: 'file' as const, file_id })),
});

test('the files of a message have a total size limit, and each file counts once', async () => {
  const big = await upload('big', Buffer.alloc(10 * 1024 * 1024), 'application/octet-stream');
  const { chatId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  await owner.ok('sendMessage', { params, body: named(...Array<string>(99).fill(big.id)) });
  const others = [];
  for (let n = 0; n < 6; n++) {
    others.push(await upload(`${n}`, Buffer.alloc(10 * 1024 * 1024), 'application/octet-stream'));
  }
  const body = named(big.id, ...others.map(({ id }) => id));
  expect(await owner.refusal('sendMessage', { params, body })).toBe('413 message_too_large');
});

test('a file in a UI message gets a safe name and type', async () => {
  const { chatId } = await inState(store, 'waiting');
  const part = {
    type: 'file',
    url: `data:text/plain;base64,${btoa('hello')}`,
    mediaType: 'text/html\r\nx: y',
    filename: '../../\u202egpj.exe\r\nx: y',
  };
  const messages = [{ id: 'm1', role: 'user', parts: [part] }];
  const response = await fetch(`${url}/api/v1/chats/${chatId}/ui-stream`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  });
  await response.body?.cancel();
  expect(response.status).toBe(200);
  const listed = await owner.ok('listMessages', { params: { chat_id: chatId } });
  expect(listed.messages.at(-1)?.content).toMatchObject([
    { type: 'file', name: '.._.._gpj.exe_x: y', media_type: 'application/octet-stream' },
  ]);
});
