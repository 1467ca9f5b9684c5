import { API_PREFIX } from '@chatd/protocol';
import { answer, gate, type Scripted, startFakeProvider, text, webSearch } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { PRESENT, recordedIn } from '../providers/support/recordings.ts';
import { type Connection, eventStream, webSocket } from '../stream/clients.ts';
import { startTestServer } from '@chatd/test-server';

const BLOB = 'EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y';

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const { admin } = await startTestServer({
  concurrency: 4,
  allowPrivateUrls: true,
  secretKey: 'a-key-for-tests-0123456789',
});
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-any-key' },
});
await admin.ok('createModelConfig', {
  body: {
    provider_id,
    model: 'claude-sonnet-4-5',
    context_limit: 200_000,
    is_default: true,
    web_search: {},
  },
});

const waits = ({ received: { events } }: Connection) =>
  events.some(({ status }) => status === 'waiting');
const isLiveResult = ({ part }: Connection['received']['events'][number]) =>
  (part as { type?: string } | undefined)?.type === 'tool-result';

/** Creates a chat with this first answer. `sent` returns everything that the server sent about it. */
async function sentAbout(first: Scripted, pause = gate()) {
  provider.answer(first);
  const { id } = await admin.ok('createChat', { body: { content: 'What is new?', title: 'News' } });
  const params = { chat_id: id };
  const path = `/chats/${id}/stream`;
  const live = await eventStream(admin, path);
  const socket = await webSocket(admin, path);
  const ui = await fetch(`${admin.url}${API_PREFIX}/chats/${id}/ui-stream`, {
    headers: admin.headers,
  });
  return {
    params,
    live,
    sent: async (): Promise<string[]> => {
      pause.release();
      await Promise.all([live, socket].map((one) => one.received.until(() => waits(one))));
      // A stream opened after the turn reads the committed messages from the database.
      const later = await eventStream(admin, path);
      await later.received.until(() => waits(later));
      const exported = ['json', 'markdown'].map((format) =>
        admin.call('exportChat', { params, query: { format } }),
      );
      const answers = await Promise.all([admin.call('listMessages', { params }), ...exported]);
      for (const one of [live, socket, later]) one.close();
      return [
        ...[live, socket, later].map(({ received }) => JSON.stringify(received.events)),
        ...answers.map(({ text: body }) => body),
        ui.status === 200 ? await ui.text() : '',
      ];
    },
  };
}

async function expectBlobInNextRequest(params: { chat_id: string }, blob: string): Promise<void> {
  provider.answer(answer([text('Nothing else.')]));
  const { length } = provider.requests;
  await admin.ok('sendMessage', { params, body: { content: 'And now?' } });
  const { body } = await provider.request(length);
  expect(JSON.stringify(body)).toContain(blob);
  expect(provider.rejected).toEqual([]);
}

test('encrypted search results stay on the server and are sent back to the provider', async () => {
  const pause = gate();
  const search = webSearch({
    query: 'news',
    results: [{ url: 'https://a.example/', title: 'A', encryptedContent: BLOB }],
  });
  const cited = text(['It rained', pause, '.'], {
    citations: [{ url: 'https://a.example/', title: 'A', citedText: 'rain' }],
  });
  const { params, live, sent } = await sentAbout(answer([search, cited]), pause);
  await live.received.until(({ events }) => events.some(isLiveResult));
  const bodies = await sent();
  for (const body of bodies) {
    expect(body).toContain('https://a.example/');
    expect(body).not.toContain(BLOB);
  }
  await expectBlobInNextRequest(params, BLOB);
});

test.runIf(PRESENT)('the encrypted parts of a recorded search stay on the server', async () => {
  const recorded = recordedIn('anthropic').find(({ name }) => name === 'web-search-tool.1.jsonl');
  const lines = recorded?.lines ?? [];
  const blobs = [...lines.join('').matchAll(/"encrypted_(?:content|index)":"([^"]+)"/g)];
  expect(blobs.length).toBeGreaterThan(10);
  const { params, sent } = await sentAbout({ kind: 'recording', lines });
  for (const body of await sent()) {
    for (const [, blob = ''] of blobs) expect(body.includes(blob)).toBe(false);
  }
  await expectBlobInNextRequest(params, blobs[0]?.[1] ?? '');
});
