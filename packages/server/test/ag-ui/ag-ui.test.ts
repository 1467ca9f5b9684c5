import { buildResumeArray, EventType } from '@ag-ui/client';
import { answer, fault, gate, reasoning, text, toolCall } from '@chatd/testing';
import { eventually } from '@chatd/test-server/eventually';
import { startProxy } from '@chatd/test-server/programs';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startFace } from '../openai/face.ts';
import { catchLostConnections, TestAgent } from './agent.ts';

const { owner, stranger, anonymous, provider, url } = await startFace();

const THREADS = `${url}/api/v1/ag-ui`;
const agentOf = (address = THREADS, client = owner, threadId?: string) =>
  new TestAgent(address, client.headers, threadId);
const chatUrl = (id: string) => `${url}/api/v1/chats/${id}/ag-ui`;

const messagesOf = async (chat_id: string) =>
  (await owner.ok('listMessages', { params: { chat_id } })).messages;
const rolesOf = async (chat_id: string) => (await messagesOf(chat_id)).map(({ role }) => role);
const statusIs = (chat_id: string, status: string) =>
  eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status }),
  );

const WEATHER = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

// The client logs every failed run.
vi.spyOn(console, 'error').mockImplementation(() => undefined);
const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);

// It warns about every event that violates the protocol.
afterEach(() => {
  const said = warnings.mock.calls.map(([message]) => String(message));
  warnings.mockClear();
  if (said.length > 0) throw new Error(said.join('\n'));
});

describe('a thread', () => {
  test('is a chat that AG-UI and the web UI can continue', async () => {
    const ada = agentOf();
    provider.answer(answer([reasoning('Hm.'), text('Hello, Ada.', { chunks: 3 })]));
    await ada.say('I am Ada.', { context: [{ description: 'City', value: 'London' }] });
    expect(ada.types.filter((type, index, all) => type !== all[index - 1])).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(ada.last).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ inputTokens: 10, outputTokens: 5, totalTokens: 15 }],
    });
    expect(ada.said).toEqual(['user: I am Ada.', 'reasoning: Hm.', 'assistant: Hello, Ada.']);
    const { chatId } = ada;
    await statusIs(chatId, 'waiting');
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('City: London');

    provider.answer(answer([text('Ada.')]));
    await ada.say('Who am I?');
    expect(ada.chatId).toBe(chatId);
    expect(ada.types).not.toContain('MESSAGES_SNAPSHOT');
    expect(await rolesOf(chatId)).toEqual(['user', 'assistant', 'user', 'assistant']);

    // In the web UI.
    provider.answer(answer([text('Three.')]));
    await owner.ok('sendMessage', { params: { chat_id: chatId }, body: { content: 'Count.' } });
    await statusIs(chatId, 'waiting');
    provider.answer(answer([text('Four.')]));
    await ada.say('And?');
    expect(ada.said).toEqual([
      'user: I am Ada.',
      'reasoning: Hm.',
      'assistant: Hello, Ada.',
      'user: Who am I?',
      'assistant: Ada.',
      'user: Count.',
      'assistant: Three.',
      'user: And?',
      'assistant: Four.',
    ]);
    expect(await messagesOf(chatId)).toHaveLength(8);
  });

  test('started in the web UI continues with its messages in order', async () => {
    provider.answer(answer([text('One.')]));
    const { id } = await owner.ok('createChat', { body: { content: 'Count.' } });
    await statusIs(id, 'waiting');
    for (const agent of [agentOf(chatUrl(id)), agentOf(THREADS, owner, id)]) {
      provider.answer(answer([text('Next.')]));
      await agent.say('Go on.');
      expect(agent.chatId).toBe(id);
      expect(agent.said.slice(0, 3)).toEqual(['user: Count.', 'assistant: One.', 'user: Go on.']);
      expect(agent.said.at(-1)).toBe('assistant: Next.');
    }
    const reader = agentOf(chatUrl(id));
    await reader.run();
    expect(reader.types).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(reader.agent.messages).toHaveLength(6);
    expect(await messagesOf(id)).toHaveLength(6);
  });

  test("of another user is another chat, and starts with the client's messages", async () => {
    const threadId = crypto.randomUUID();
    const chats = new Set<string>();
    for (const client of [owner, stranger]) {
      const agent = agentOf(THREADS, client, threadId);
      agent.agent.setMessages([
        { id: 's', role: 'system', content: 'Be brief.' },
        { id: 'hello', role: 'assistant', content: 'How can I help?' },
      ]);
      provider.answer(answer([text('Sure.')]));
      await agent.say('Help.');
      chats.add(agent.chatId);
    }
    expect(chats.size).toBe(2);
    const [mine = ''] = chats;
    expect(await rolesOf(mine)).toEqual(['assistant', 'user', 'assistant']);
    expect(await owner.ok('getChat', { params: { chat_id: mine } })).toMatchObject({
      system_prompt: 'Be brief.',
    });
  });

  test('takes files', async () => {
    const agent = agentOf();
    const value = Buffer.from('a note').toString('base64');
    agent.agent.addMessage({
      id: 'f',
      role: 'user',
      content: [
        { type: 'text', text: 'Read.' },
        { type: 'document', source: { type: 'data', value, mimeType: 'text/plain' } },
      ],
    });
    provider.answer(answer([text('Read it.')]));
    await agent.run();
    const [message] = await messagesOf(agent.chatId);
    expect(message?.content.map(({ type }) => type)).toEqual(['text', 'file']);
    const reader = agentOf(chatUrl(agent.chatId));
    await reader.run();
    expect(reader.agent.messages[0]).toMatchObject({
      content: [{ type: 'text' }, { type: 'document', source: { type: 'file' } }],
    });
  });
});

describe('tools', () => {
  test('of the client and of the server are called in one turn', async () => {
    const agent = agentOf();
    provider.answer(
      answer([text('Let me see.'), toolCall('look', {}), toolCall('weather', { city: 'Oslo' })]),
    );
    await agent.say('Weather in Oslo?', { tools: [WEATHER] });
    const { chatId } = agent;
    const { outcome } = agent.last as unknown as { outcome: { pendingToolCallIds: string[] } };
    const [toolCallId = ''] = outcome.pendingToolCallIds;
    expect(agent.said).toEqual([
      'user: Weather in Oslo?',
      'assistant: Let me see. look({}) weather({"city":"Oslo"})',
      'tool: seen',
    ]);
    agent.agent.addMessage({ id: 'rain', role: 'tool', toolCallId, content: 'rain' });
    provider.answer(answer([text('It rains.')]));
    await agent.run({ tools: [WEATHER] });
    expect(agent.last).toMatchObject({ outcome: { type: 'success' } });
    expect(agent.said.slice(2)).toEqual(['tool: seen', 'tool: rain', 'assistant: It rains.']);
    expect(agent.types).not.toContain('MESSAGES_SNAPSHOT');
    const results = (await messagesOf(chatId)).flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-result' ? [part.result] : [])),
    );
    expect(results).toEqual(['seen', 'rain']);
    expect(await owner.ok('getChat', { params: { chat_id: chatId } })).toMatchObject({
      dynamic_tools: [{ name: 'weather' }],
    });
  });

  test('get their results together with a message', async () => {
    const agent = agentOf();
    provider.answer(answer([toolCall('weather', { city: 'Oslo' })]), answer([text('Il pleut.')]));
    await agent.say('Weather in Oslo?', { tools: [WEATHER] });
    const { outcome } = agent.last as unknown as { outcome: { pendingToolCallIds: string[] } };
    const [toolCallId = ''] = outcome.pendingToolCallIds;
    agent.agent.addMessage({ id: 'r', role: 'tool', toolCallId, content: 'rain' });
    await agent.say('In French.', { tools: [WEATHER] });
    const said = ['tool: rain', 'user: In French.', 'assistant: Il pleut.'];
    expect(agent.said.slice(2)).toEqual(said);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('In French.');
    expect((await messagesOf(agent.chatId))[3]).toMatchObject({ role: 'user', steered: true });
  });

  test('are approved by an editor of the chat, but only the owner adds rules', async () => {
    const approvals = [{ pattern: 'look', action: 'ask' as const }];
    await owner.ok('updateApprovals', { body: { approvals } });
    onTestFinished(
      async () => void (await owner.ok('updateApprovals', { body: { approvals: [] } })),
    );
    provider.answer(answer([toolCall('look', {})]), answer([text('Done.')]));
    const { id } = await owner.ok('createChat', { body: { content: 'Look.' } });
    await statusIs(id, 'requires_action');
    const { id: user_id } = await stranger.ok('getMe', {});
    const grants = [{ user_id, role: 'editor' as const }];
    await owner.ok('replaceChatSharing', { params: { chat_id: id }, body: { grants } });
    const agent = agentOf(chatUrl(id), stranger);
    await agent.run();
    const [asked] = agent.agent.pendingInterrupts;
    const decide = (payload: object) =>
      agent.run({ resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload }] });
    const lasting = { approved: true, remember: 'always' };
    await expect(decide(lasting)).rejects.toMatchObject({ status: 403 });
    expect(await owner.ok('getApprovals', {})).toEqual({ approvals });
    await decide({ approved: true });
    expect(agent.said.at(-1)).toBe('assistant: Done.');
  });

  test.each([
    ['resolved', { approved: true }, 'tool: seen'],
    ['cancelled', undefined, 'tool: The user denied this call.'],
  ] as const)('that need an approval interrupt the run: %s', async (status, payload, result) => {
    await owner.ok('updateApprovals', {
      body: { approvals: [{ pattern: 'look', action: 'ask' }] },
    });
    onTestFinished(
      async () => void (await owner.ok('updateApprovals', { body: { approvals: [] } })),
    );
    const agent = agentOf();
    provider.answer(answer([toolCall('look', {})]));
    await agent.say('Look.');
    const { pendingInterrupts } = agent.agent;
    expect(pendingInterrupts).toMatchObject([
      { reason: 'tool_call', metadata: { chatd: { tool_name: 'look' } } },
    ]);
    await statusIs(agent.chatId, 'requires_action');
    await expect(agent.say('Well?')).rejects.toThrow('pending interrupt');
    agent.agent.messages.pop();
    const id = pendingInterrupts[0]?.id ?? '';
    provider.answer(answer([text('Done.')]));
    const responses = { [id]: status === 'resolved' ? { status, payload } : { status } };
    await agent.run({ resume: buildResumeArray(pendingInterrupts, responses) });
    expect(agent.said.slice(2)).toEqual([result, 'assistant: Done.']);
    expect(agent.agent.pendingInterrupts).toEqual([]);
  });

  test('that ask the user are answered', async () => {
    const agent = agentOf();
    provider.answer(answer([toolCall('ask_user_question', { question: 'Which one?' })]));
    await agent.say('Ask me.');
    const { pendingInterrupts } = agent.agent;
    expect(pendingInterrupts).toMatchObject([{ reason: 'input_required', message: 'Which one?' }]);
    const id = pendingInterrupts[0]?.id ?? '';
    provider.answer(answer([text('The red one.')]));
    await agent.run({ resume: [{ interruptId: id, status: 'resolved', payload: 'Red' }] });
    expect(agent.said.slice(2)).toEqual(['tool: Red', 'assistant: The red one.']);
  });
});

describe('a run', () => {
  test('that loses its connection mid-answer continues when the client repeats the request', async () => {
    const { port } = new URL(url);
    const proxy = await startProxy({ host: '127.0.0.1', port: Number(port) });
    onTestFinished(() => proxy.close());
    onTestFinished(catchLostConnections());
    const agent = agentOf(`http://127.0.0.1:${proxy.port}/api/v1/ag-ui`);
    const pause = gate();
    provider.answer(answer([text(['Hel', 'lo ', pause, 'there.'])]));
    agent.onEvent(({ type }) => {
      if (type === EventType.TEXT_MESSAGE_CONTENT) proxy.terminate();
    });
    await expect(agent.say('Hi.')).rejects.toThrow('terminated');
    const { chatId } = agent;
    expect(agent.said.at(-1)).toMatch(/^assistant: Hel/);
    agent.onEvent(({ type }) => {
      if (type === EventType.TEXT_MESSAGE_CONTENT) pause.release();
    });
    await agent.run();
    expect(agent.types.slice(0, 2)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT']);
    expect(agent.said).toEqual(['user: Hi.', 'assistant: Hello there.']);
    expect(await rolesOf(chatId)).toEqual(['user', 'assistant']);
  });

  test('is not repeated by a second request with its ID', async () => {
    const agent = agentOf();
    provider.answer(answer([text('Once.')]));
    await agent.say('Hi.', { runId: 'r1' });
    const { chatId } = agent;
    // Simulates that no event arrived.
    agent.agent.setMessages(agent.agent.messages.slice(0, 1));
    await agent.run({ runId: 'r1' });
    expect(agent.said).toEqual(['user: Hi.', 'assistant: Once.']);
    expect(await rolesOf(chatId)).toEqual(['user', 'assistant']);
    // Another ID requests another answer.
    agent.agent.setMessages(agent.agent.messages.slice(0, 1));
    provider.answer(answer([text('Twice.')]));
    await agent.run();
    expect(agent.said).toEqual(['user: Hi.', 'assistant: Twice.']);
    expect(await rolesOf(chatId)).toEqual(['user', 'assistant']);
  });

  test('is started once by concurrent requests', async () => {
    const threadId = crypto.randomUUID();
    const pause = gate();
    provider.answer(answer([text([pause, 'Once.'])]));
    const agents = [1, 2, 3].map(() => agentOf(THREADS, owner, threadId));
    for (const { agent } of agents) agent.addMessage({ id: 'u1', role: 'user', content: 'Hi.' });
    const runs = agents.map((agent) => agent.run({ runId: 'r1' }));
    await pause.reached;
    pause.release();
    await Promise.all(runs);
    const said = agents.map((agent) => agent.said);
    expect(said).toEqual(Array.from({ length: 3 }, () => ['user: Hi.', 'assistant: Once.']));
    expect(await rolesOf(agents[0]?.chatId ?? '')).toEqual(['user', 'assistant']);
  });

  test('queues its message once', async () => {
    const pause = gate();
    provider.answer(answer([text([pause, 'One.'])]), answer([text('Two.')]));
    const { id } = await owner.ok('createChat', { body: { content: 'Hi.' } });
    await pause.reached;
    const agents = [1, 2].map(() => agentOf(`${chatUrl(id)}?busy_behavior=queue`));
    for (const { agent } of agents) agent.addMessage({ id: 'u2', role: 'user', content: 'Next.' });
    const runs = agents.map((agent) => agent.run({ runId: 'r2' }));
    await eventually(() =>
      expect(agents.map(({ types }) => types)).toEqual([['RUN_STARTED'], ['RUN_STARTED']]),
    );
    pause.release();
    await Promise.all(runs);
    expect(agents.map(({ said }) => said.at(-1))).toEqual(['assistant: Two.', 'assistant: Two.']);
    expect(await rolesOf(id)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  test('replaces the output of a failed attempt', async () => {
    const agent = agentOf();
    const first = answer([reasoning('Hm.'), text('Never mind, I will say.', { chunks: 6 })]);
    const second = answer([reasoning('Ah.'), text('Something else.')]);
    provider.answer(fault.reset({ afterParts: 4, of: first }), second);
    await agent.say('Hi.');
    expect(agent.types).toContain('MESSAGES_SNAPSHOT');
    expect(agent.said).toEqual(['user: Hi.', 'reasoning: Ah.', 'assistant: Something else.']);
  });

  test('is canceled by an abort if the URL requests it', async () => {
    const agent = agentOf(`${THREADS}?on_disconnect=interrupt`);
    const pause = gate();
    provider.answer(answer([text(['Half', pause, ' more'])]));
    agent.onEvent(({ type }) => {
      if (type === EventType.TEXT_MESSAGE_CONTENT) agent.agent.abortRun();
    });
    await agent.say('Hi.');
    await statusIs(agent.chatId, 'waiting');
    pause.release();
    expect((await messagesOf(agent.chatId)).at(-1)).toMatchObject({ cut_off: 'interrupted' });
    await agent.run({ runId: 'again' });
  });

  test('is interrupted by the next message, or by another client', async () => {
    const agent = agentOf();
    const [first, second] = [gate(), gate()];
    provider.answer(answer([text(['Long', first, ' story'])]), answer([text(['Short', second])]));
    agent.onEvent(({ type }) => {
      if (type === EventType.TEXT_MESSAGE_CONTENT) agent.agent.abortRun();
    });
    await agent.say('Tell me.');
    const { chatId } = agent;
    agent.onEvent(({ type }) => {
      if (type !== EventType.TEXT_MESSAGE_CONTENT) return;
      void owner.ok('interruptChat', { params: { chat_id: chatId } });
    });
    await agent.say('Stop.');
    for (const pause of [first, second]) pause.release();
    expect(agent.last).toMatchObject({ outcome: { type: 'cancelled' } });
    expect(agent.said).toEqual([
      'user: Tell me.',
      'assistant: Long',
      'user: Stop.',
      'assistant: Short',
    ]);
  });

  test('fails with the error of the provider', async () => {
    const agent = agentOf();
    provider.answer(fault.badKey());
    await agent.say('Hi.');
    expect(agent.last).toMatchObject({ type: 'RUN_ERROR', code: 'auth' });
  });
});

describe('a request is refused', () => {
  test('without a valid token, and for a chat of another user', async () => {
    provider.answer(answer([text('Mine.')]));
    const { id } = await owner.ok('createChat', { body: { content: 'Hi.' } });
    await statusIs(id, 'waiting');
    for (const [client, status] of [
      [anonymous, 401],
      [stranger, 404],
    ] as const) {
      await expect(agentOf(chatUrl(id), client).say('Hi.')).rejects.toMatchObject({ status });
    }
    expect(await messagesOf(id)).toHaveLength(2);
  });

  test('without a message, or with the URL of a file', async () => {
    await expect(agentOf().run()).rejects.toMatchObject({ status: 400 });
    const agent = agentOf();
    const source = { type: 'url' as const, value: 'http://127.0.0.1/a.png' };
    agent.agent.addMessage({ id: 'i', role: 'user', content: [{ type: 'image', source }] });
    await expect(agent.run()).rejects.toThrow('chatd does not fetch other URLs');
  });
});
