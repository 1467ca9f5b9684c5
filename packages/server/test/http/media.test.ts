import { inspectMedia } from '@chatd/loop';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { Transformer } from '@napi-rs/image';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startOwnServer } from '@chatd/test-server/mcp';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
provider.answerWith(() => answer([text('I see.')]));
const { admin, owner } = await startTestServer({
  concurrency: 2,
  allowPrivateUrls: true,
  secretKey: 'a-secret-key-of-the-tests',
});
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});

const gray = (width: number, height: number) =>
  Transformer.fromRgbaPixels(new Uint8Array(width * height * 4).fill(128), width, height).png();
const upload = (name: string, raw: Buffer, type = 'image/png') =>
  owner.ok('uploadFile', { query: { name }, raw, headers: { 'content-type': type } });

async function create(content: unknown, over: object = {}): Promise<string> {
  const body = { content, title: 'Test', model_config_id, ...over };
  return (await owner.ok('createChat', { body })).id;
}

/** Waits for the end of the turn. Returns its last request. */
async function finished(chat_id: string): Promise<string> {
  await eventually(async () => {
    const { status, last_error } = await owner.ok('getChat', { params: { chat_id } });
    expect([status, last_error]).toEqual(['waiting', undefined]);
  });
  expect(provider.rejected).toEqual([]);
  return JSON.stringify(provider.requests.at(-1)?.body);
}

async function continueChat(chat_id: string): Promise<string> {
  await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'Go on.' } });
  return await finished(chat_id);
}

/** The images of a request to Anthropic. */
const imagesIn = (request: string) =>
  [...request.matchAll(/"media_type":"([^"]+)","data":"([^"]+)"/g)].map(([, type, data = '']) => ({
    type,
    ...inspectMedia(Buffer.from(data, 'base64')),
  }));

test('an upload gets the media type of its bytes, and the model receives it with that type', async () => {
  const image = await gray(3, 2);
  const file = await upload('photo.jpg', image, 'image/jpeg');
  expect(file.media_type).toBe('image/png');
  const chat = await create([{ type: 'file', file_id: file.id }]);
  expect(imagesIn(await finished(chat))).toMatchObject([{ type: 'image/png' }]);
  expect(imagesIn(await continueChat(chat))).toHaveLength(1);
});

test('an upload that is not an image is stored as bytes, and the model gets a note', async () => {
  const file = await upload('photo.png', Buffer.from('<html>not found</html>'));
  expect(file.media_type).toBe('application/octet-stream');
  const chat = await create([{ type: 'file', file_id: file.id }]);
  expect(await finished(chat)).toContain('[file \\"photo.png\\" cannot be shown');
  expect(await continueChat(chat)).toContain('cannot be shown');
});

test('an upload that is too large for the model is scaled down', async () => {
  const file = await upload('wide.png', await gray(9000, 90));
  const chat = await create([{ type: 'file', file_id: file.id }]);
  const size = { width: 2000, height: 20 };
  expect(imagesIn(await finished(chat))).toMatchObject([{ type: 'image/png', size }]);
  expect(imagesIn(await continueChat(chat))).toMatchObject([{ size }]);
});

test('a truncated upload does not stop the chat', async () => {
  const file = await upload('cut.png', (await gray(300, 200)).subarray(0, 60));
  const chat = await create([{ type: 'file', file_id: file.id }]);
  expect(await finished(chat)).toContain('its bytes are not a complete PNG');
  await continueChat(chat);
});

test('the model gets a note in place of a deleted file', async () => {
  const file = await upload('photo.png', await gray(3, 2));
  const chat = await create([{ type: 'file', file_id: file.id }]);
  expect(imagesIn(await finished(chat))).toHaveLength(1);
  await owner.ok('deleteFile', { params: { file_id: file.id } });
  expect(await continueChat(chat)).toContain('[file \\"photo.png\\" was deleted]');
});

test('an MCP server that returns images of wrong types does not stop the chat', async () => {
  const image = (await gray(3, 2)).toString('base64');
  const shot = {
    name: 'shot',
    run: () => ({
      content: [
        { type: 'image' as const, mimeType: 'image/jpeg', data: image },
        { type: 'image' as const, mimeType: 'image/png', data: 'bm90IGFuIGltYWdl' },
      ],
    }),
  };
  const { url } = await startOwnServer([shot], onTestFinished);
  const { id } = await admin.ok('createMcpServer', {
    body: { name: 'camera', transport: 'http', url, trusted: true },
  });
  provider.answer(answer([toolCall('camera__shot', {})]));
  const chat = await create('Look.', { mcp_server_ids: [id] });
  const request = await finished(chat);
  expect(imagesIn(request)).toMatchObject([{ type: 'image/png', isWhole: true }]);
  expect(request).toContain('cannot be shown: the model does not take application/octet-stream');
  expect(imagesIn(await continueChat(chat))).toHaveLength(1);
});
