import { tool } from '@chatd/loop';
import { answer, fault, gate, reasoning, text, toolCall, webSearch } from '@chatd/testing';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { poll } from './support/poll.ts';
import { z } from 'zod';
import { chatTransport, loadUIMessages } from '../src/ai-sdk/index.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { seeded } from './support/seeded.ts';
import { setUp, titled } from './support/server.ts';
import { chunksOf, plain, textOf, uiChat } from './support/ui-chat.ts';

/** Runs on the server and publishes output. */
const stamp = tool({
  name: 'stamp',
  input: z.object({}),
  idempotent: true,
  run: (_, context) => {
    context.publish('stamp');
    return 'stamped';
  },
});

const { server, client, fake, token, clientOf } = await setUp({}, { tools: [stamp] });

const TOOLS = [
  { name: 'add', input_schema: { type: 'object', properties: { a: { type: 'number' } } } },
];
const headers = { authorization: `Bearer ${token}` };
const uiUrl = (id: string) => `${server.url}/api/v1/chats/${id}/ui-stream`;
const get = (id: string, query = '') => fetch(`${uiUrl(id)}${query}`, { headers });

/** An idle chat with one answer and a client tool. */
async function idleChat(): Promise<string> {
  fake.answer(answer([text('Hello.')]));
  const { chat, turn } = await client.chats.begin({ ...titled('hello'), dynamic_tools: TOOLS });
  await turn.result();
  return chat.id;
}

/** A search finds two pages. The answer cites the second one in the middle of a sentence. */
const searched = () =>
  answer([
    webSearch({
      query: 'news',
      results: [
        { url: 'https://a.example/', title: 'A' },
        { url: 'https://b.example/', title: 'B' },
      ],
    }),
    text('Rain', {
      citations: [{ url: 'https://b.example/', title: 'B', citedText: 'rain' }],
    }),
    text(', and wind.'),
  ]);

/** The transport of the AI SDK, and ours. */
const transports = {
  DefaultChatTransport: (id: string) =>
    new DefaultChatTransport<UIMessage>({
      api: uiUrl(id),
      headers,
      prepareReconnectToStreamRequest: () => ({ api: uiUrl(id) }),
    }),
  'our own transport': (id: string) => chatTransport(client, { chatId: id }),
};

async function shownFor(
  id: string,
  transport: ReturnType<(typeof transports)['our own transport']>,
) {
  const { messages } = await loadUIMessages(client, id);
  return uiChat({ id, transport, messages });
}

const comparable = (messages: readonly UIMessage[]) =>
  plain(messages).map((message) =>
    message.role === 'user' ? { role: 'user', parts: message.parts } : message,
  );

/** Shows the same as after a reload, except for the IDs of user messages, which the front end assigns. */
async function expectAsStored(id: string, shown: readonly UIMessage[]): Promise<void> {
  const stored = (await loadUIMessages(client, id)).messages;
  expect(comparable(shown)).toEqual(comparable(stored));
}

describe.each(Object.entries(transports))('a front end with %s', (_, transportTo) => {
  test('shows a turn with reasoning, text and a client tool', async () => {
    const id = await idleChat();
    const messages = (await loadUIMessages(client, id)).messages;
    fake.answer(
      answer([
        reasoning('hm'),
        text('Let me '),
        toolCall('add', { a: 1 }, { id: 'toolu_1', chunks: 3 }),
      ]),
      answer([text(['It is ', '2.'])]),
    );
    const chat = uiChat({
      id,
      messages,
      transport: transportTo(id),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall: { toolCallId } }) {
        // Not awaited: it waits for the stream that it is called from.
        void chat.addToolOutput({ tool: 'add', toolCallId, output: { sum: 2 } });
      },
    });
    await chat.sendMessage({ text: 'add' });
    await poll(() => textOf(chat.lastMessage)).toContain('It is 2.');
    await poll(() => chat.status).toBe('ready');
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'reasoning',
      'text',
      'tool-add',
      'step-start',
      'text',
    ]);
    expect(chat.lastMessage?.metadata).toMatchObject({
      chat_id: id,
      usage: { output_tokens: expect.any(Number) as number },
    });
    await expectAsStored(id, chat.messages);
    expect(fake.rejected).toEqual([]);
  });

  test('shows a web search with its sources once, and the text that cites them as one', async () => {
    const id = await idleChat();
    fake.answer(searched());
    const chat = await shownFor(id, transportTo(id));
    await chat.sendMessage({ text: 'What is new?' });
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'dynamic-tool',
      'source-url',
      'source-url',
      'text',
    ]);
    expect(textOf(chat.lastMessage)).toBe('Rain, and wind.');
    await expectAsStored(id, chat.messages);
  });

  test('reports the error of its tool to the model', async () => {
    const id = await idleChat();
    fake.answer(answer([toolCall('add', { a: 1 }, { id: 'toolu_1' })]), answer([text('Too bad.')]));
    const chat = await shownFor(id, transportTo(id));
    await chat.sendMessage({ text: 'add' });
    expect(chat.status).toBe('ready');
    await chat.addToolOutput({
      state: 'output-error',
      tool: 'add',
      toolCallId: 'toolu_1',
      errorText: 'Broken.',
    } as never);
    await chat.sendMessage();
    expect(textOf(chat.lastMessage)).toBe('Too bad.');
    await expectAsStored(id, chat.messages);
    expect(chat.lastMessage?.parts[1]).toMatchObject({
      state: 'output-error',
      errorText: 'Broken.',
    });
  });

  test('shows the second attempt, and nothing of the first', async () => {
    const id = await idleChat();
    const seen = gate();
    fake.answer(
      fault.errorEvent({ of: answer([text(['wrong', seen, ' never'])]), afterParts: 1 }),
      answer([text('right')]),
    );
    const chat = await shownFor(id, transportTo(id));
    const sending = chat.sendMessage({ text: 'go' });
    await seen.reached;
    await poll(() => textOf(chat.lastMessage)).toBe('wrong');
    seen.release();
    await sending;
    expect(textOf(chat.lastMessage)).toBe('right');
    await expectAsStored(id, chat.messages);
  });

  test('gets the error of a failed turn', async () => {
    const id = await idleChat();
    fake.answer(fault.badKey());
    const chat = await shownFor(id, transportTo(id));
    await chat.sendMessage({ text: 'go' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/key/i);
  });

  test('resumes a running turn from its beginning, and nothing if no turn is running', async () => {
    const id = await idleChat();
    const idle = await shownFor(id, transportTo(id));
    await idle.resumeStream();
    expect(idle.status).toBe('ready');
    expect(idle.messages).toHaveLength(2);

    const pause = gate();
    fake.answer(
      answer([text('First.'), toolCall('add', { a: 1 }, { id: 'toolu_1' })]),
      answer([text(['one ', pause, 'two'])]),
    );
    await client.chats.send(id, 'go');
    await poll(async () => (await client.chats.get(id)).status).toBe('requires_action');
    await client.chats.submitToolResults(id, { results: [{ tool_call_id: 'toolu_1', output: 2 }] });
    await pause.reached;
    const chat = await shownFor(id, transportTo(id));
    const resumed = chat.resumeStream();
    await poll(() => textOf(chat.lastMessage)).toBe('First.one ');
    pause.release();
    await resumed;
    expect(textOf(chat.lastMessage)).toBe('First.one two');
    await expectAsStored(id, chat.messages);
  });

  test('edits a message and regenerates an answer', async () => {
    const id = await idleChat();
    fake.answer(answer([text('Edited.')]), answer([text('Again.')]));
    const chat = await shownFor(id, transportTo(id));
    await chat.sendMessage({ text: 'hello, edited', messageId: chat.messages[0]?.id ?? '' });
    expect(chat.messages.map(textOf)).toEqual(['hello, edited', 'Edited.']);
    await chat.regenerate();
    expect(chat.messages.map(textOf)).toEqual(['hello, edited', 'Again.']);
    await expectAsStored(id, chat.messages);
  });

  test('sends a file', async () => {
    const id = await idleChat();
    fake.answer(answer([text('A file.')]));
    const chat = await shownFor(id, transportTo(id));
    const url = `data:text/plain;base64,${btoa('hello')}`;
    await chat.sendMessage({
      text: 'look',
      files: [{ type: 'file', url, mediaType: 'text/plain', filename: 'a.txt' }],
    });
    expect(textOf(chat.lastMessage)).toBe('A file.');
    const { messages } = await client.chats.messages(id);
    const file = messages.flatMap(({ content }) => content).find((part) => part.type === 'file');
    expect(file).toMatchObject({ name: 'a.txt', media_type: 'text/plain' });
    if (file?.type !== 'file') return;
    expect(await (await client.files.download(file.file_id)).text()).toBe('hello');
  });

  test('keeps the partial answer of an interrupted turn', async () => {
    const id = await idleChat();
    const pause = gate();
    fake.answer(answer([text(['partial', pause, 'never'])]));
    const chat = await shownFor(id, transportTo(id));
    const sending = chat.sendMessage({ text: 'go' });
    await pause.reached;
    await poll(() => textOf(chat.lastMessage)).toBe('partial');
    await client.chats.interrupt(id);
    await sending;
    expect(chat.status).toBe('ready');
    await expectAsStored(id, chat.messages);
  });
});

describe('approvals', () => {
  test.each([true, false])('are requested and answered (approved: %s)', async (approved) => {
    await client.me.updateApprovals({ approvals: [{ pattern: 'stamp', action: 'ask' }] });
    const id = await idleChat();
    fake.answer(answer([toolCall('stamp', {}, { id: 'toolu_1' })]), answer([text('Done.')]));
    const chat = uiChat({
      id,
      transport: chatTransport(client, { chatId: id }),
      messages: (await loadUIMessages(client, id)).messages,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: 'go' });
    const part = chat.lastMessage?.parts.at(-1);
    expect(part).toMatchObject({
      type: 'dynamic-tool',
      state: 'approval-requested',
      approval: { id: 'toolu_1' },
    });
    expect(plain((await loadUIMessages(client, id)).messages.at(-1)?.parts.at(-1))).toEqual(
      plain(part),
    );
    await chat.addToolApprovalResponse({ id: 'toolu_1', approved });
    await poll(() => textOf(chat.lastMessage)).toBe('Done.');
    const tool = chat.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool');
    expect(tool).toMatchObject({ state: approved ? 'output-available' : 'output-denied' });
  });
});

const user = (...parts: object[]) => ({ messages: [{ id: 'x', role: 'user', parts }] });

describe('the UI stream', () => {
  test('does not restart a cited answer when it is committed', async () => {
    const id = await idleChat();
    const pause = gate();
    const { parts, ...rest } = searched();
    fake.answer({ ...rest, parts: [...parts.slice(0, -1), text([', and', pause, ' wind.'])] });
    await client.chats.send(id, 'go');
    await pause.reached;
    const response = await get(id);
    pause.release();
    const types = (await chunksOf(response)).map(({ type }) => type);
    expect(types).toContain('source-url');
    expect(types.filter((type) => type === 'text-start')).toHaveLength(1);
    expect(types).not.toContain('reset-step');
  });

  test('conforms to the protocol of the AI SDK', async () => {
    const id = await idleChat();
    const pause = gate();
    fake.answer(
      answer([
        reasoning('hm'),
        text(['a', pause, 'b']),
        toolCall('add', { a: 1 }, { id: 'toolu_1' }),
        toolCall('other', {}, { id: 'toolu_2' }),
      ]),
    );
    await client.chats.send(id, 'go');
    await pause.reached;
    const response = await get(id);
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    pause.release();
    const chunks = await chunksOf(response);
    expect(
      chunks
        .map(({ type }) => type)
        // The number of deltas before the complete call varies.
        .filter((type) => type !== 'tool-input-delta')
        .filter((type, index, all) => type !== all[index - 1]),
    ).toEqual([
      'start',
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-available',
      'tool-input-start',
      'tool-input-available',
      'message-metadata',
      'tool-output-error',
      'finish-step',
      'finish',
    ]);
    expect(chunks.at(-1)).toMatchObject({ finishReason: 'tool-calls' });
  });

  test('resumes after an event, with the step of that event', async () => {
    const id = await idleChat();
    fake.answer(
      answer([text('One.'), toolCall('add', { a: 1 }, { id: 'toolu_1' })]),
      answer([text('Two.')]),
    );
    const { turn } = { turn: client.chats.turn(id, 'go') };
    for await (const event of turn) {
      if (event.type === 'action_required') {
        await client.chats.submitToolResults(id, {
          results: [{ tool_call_id: 'toolu_1', output: 2 }],
        });
      }
    }
    const { messages } = await client.chats.messages(id);
    const asked = messages.findLast(({ role }) => role === 'user')?.id;
    const whole = await chunksOf(await get(id, `?after=${asked}.0`));
    const second = await chunksOf(await get(id, `?after=${asked}.2`));
    expect(second[0]).toEqual(whole[0]);
    expect(second[1]).toEqual({ type: 'reset-step' });
    expect(second.slice(2)).toEqual(
      whole.slice(whole.findLastIndex(({ type }) => type === 'start-step') + 1),
    );
    expect((await get(id)).status).toBe(204);
    expect((await get(id, '?after=nonsense')).status).toBe(400);
  });

  test('continues while another program runs the tools', async () => {
    const id = await idleChat();
    fake.answer(answer([toolCall('add', { a: 1 }, { id: 'toolu_1' })]), answer([text('Two.')]));
    await client.chats.send(id, 'go');
    await poll(async () => (await client.chats.get(id)).status).toBe('requires_action');
    expect((await get(id)).status).toBe(204);
    const response = await get(id, '?follow_tools=true');
    await client.chats.submitToolResults(id, { results: [{ tool_call_id: 'toolu_1', output: 2 }] });
    const chunks = await chunksOf(response);
    expect(chunks).toContainEqual({
      type: 'tool-output-available',
      toolCallId: 'toolu_1',
      output: 2,
    });
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  test('refuses invalid messages, and stores nothing', async () => {
    const id = await idleChat();
    const post = async (body: unknown) => {
      const response = await fetch(uiUrl(id), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code}`;
    };
    expect(await post({ messages: [] })).toBe('400 invalid_body');
    expect(await post(user())).toBe('400 invalid_content');
    expect(await post(user({ type: 'text', text: ' ' }))).toBe('400 invalid_content');
    expect(await post(user({ type: 'file', url: 'https://example.com/x.png' }))).toBe(
      '400 invalid_content',
    );
    expect(await post({ ...user({ type: 'text', text: 'x' }), unknown: 1 })).toBe(
      '400 unknown_field',
    );
    expect(await post({ messages: [{ id: 'foreign', role: 'assistant', parts: [] }] })).toBe(
      '400 unknown_message',
    );
    expect((await client.chats.messages(id)).messages).toHaveLength(2);
  });
});

describe('our own transport', () => {
  test('creates the chat with the first message', async () => {
    fake.answer(answer([text('Made.')]));
    let made: string | undefined;
    const transport = chatTransport(client, {
      create: { title: 'Made by a page' },
      onChat: ({ id }) => (made = id),
    });
    const chat = uiChat({ transport });
    await chat.resumeStream();
    await chat.sendMessage({ text: 'hello' });
    expect(textOf(chat.lastMessage)).toBe('Made.');
    expect(await client.chats.get(made ?? '')).toMatchObject({ title: 'Made by a page' });
  });

  test('stops the turn on the server, too', async () => {
    const id = await idleChat();
    const pause = gate();
    fake.answer(answer([text(['partial', pause])]));
    const chat = await shownFor(id, chatTransport(client, { chatId: id }));
    const sending = chat.sendMessage({ text: 'go' });
    await pause.reached;
    await poll(() => textOf(chat.lastMessage)).toBe('partial');
    await chat.stop();
    await sending;
    expect(chat.status).toBe('ready');
    await poll(async () => (await client.chats.get(id)).status).toBe('waiting');
  });

  test.each([1, 2, 3, 4])(
    'shows the same despite repeated connection losses (seed %d)',
    { timeout: 120_000 },
    async (seed) => {
      const random = seeded(seed);
      const proxy = await startCuttingProxy(server.url, () => 400 + Math.floor(random() * 3000));
      const cut = clientOf({ url: proxy.url, random: () => 0, retries: 20 });
      const id = await idleChat();
      const pieces = ['Über ', '数字 ', '🎉 ', 'and ', 'so ', 'on.'];
      const gates = pieces.map(() => gate());
      fake.answer(
        answer([text('Let me see.'), toolCall('add', { a: 1 }, { id: 'toolu_1', chunks: 4 })]),
        answer([text(pieces.flatMap((piece, index) => [piece, gates[index]!]))]),
      );
      const transport = chatTransport(cut, { chatId: id, followTools: true });
      const chat = await shownFor(id, transport);
      const sending = chat.sendMessage({ text: 'go' });
      await poll(async () => (await client.chats.get(id)).status).toBe('requires_action');
      await client.chats.submitToolResults(id, {
        results: [{ tool_call_id: 'toolu_1', output: 2 }],
      });
      for (const [index, pause] of gates.entries()) {
        await pause.reached;
        const so = pieces.slice(0, index + 1).join('');
        await poll(() => textOf(chat.lastMessage)).toBe(`Let me see.${so}`);
        pause.release();
      }
      await sending;
      expect(chat.status).toBe('ready');
      expect(proxy.sent.length).toBeGreaterThan(3);
      await expectAsStored(id, chat.messages);
      await proxy.close();
    },
  );
});
