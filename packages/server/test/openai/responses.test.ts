import { answer, fault, gate, reasoning, text, toolCall } from '@chatd/testing';
import { eventually } from '@chatd/test-server/eventually';
import { APIError, AuthenticationError } from 'openai';
import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { chatOf, clientOf, MODEL, startFace } from './face.ts';

const { openai, owner, stranger, anonymous, admin, provider, url } = await startFace();

const WEATHER = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};

const messagesOf = async (chat_id: string) =>
  (await owner.ok('listMessages', { params: { chat_id } })).messages;
const statusIs = (chat_id: string, status: string) =>
  eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status }),
  );

async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const deltas = (events: readonly ResponseStreamEvent[]) =>
  events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));

const others = (events: readonly ResponseStreamEvent[]) =>
  events.filter(({ type }) => !type.endsWith('.delta'));

async function failure(work: Promise<unknown>): Promise<APIError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error('The request did not fail.');
  return error;
}

describe('a response', () => {
  test('is a turn of a new chat, and the next one continues it', async () => {
    provider.answer(answer([reasoning('Hm.'), text('Hello, Ada.')], { usage: { cacheRead: 3 } }));
    const first = await openai.responses.create({
      model: MODEL,
      input: 'I am Ada.',
      instructions: 'Be brief.',
      metadata: { app: 'test' },
    });
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      model: MODEL,
      instructions: 'Be brief.',
      metadata: { app: 'test' },
      output_text: 'Hello, Ada.',
      usage: { input_tokens: 13, input_tokens_details: { cached_tokens: 3 }, output_tokens: 5 },
    });
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const chat_id = chatOf(first.id);
    expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({
      system_prompt: 'Be brief.',
      labels: { app: 'test' },
      status: 'waiting',
    });
    expect((await messagesOf(chat_id)).map(({ role }) => role)).toEqual(['user', 'assistant']);

    provider.answer(answer([text('Ada.')]));
    const second = await openai.responses.create({
      input: 'Who am I?',
      previous_response_id: first.id,
    });
    expect(second).toMatchObject({ output_text: 'Ada.', previous_response_id: first.id });
    expect(second.conversation).toEqual(first.conversation);
    expect(await messagesOf(chat_id)).toHaveLength(4);

    // Not the last response: the conversation branches.
    provider.answer(answer([text('Still Ada.')]));
    const branch = await openai.responses.create({
      input: 'Sure?',
      previous_response_id: first.id,
    });
    expect(branch.output_text).toBe('Still Ada.');
    expect(chatOf(branch.id)).not.toBe(chat_id);
    expect(await messagesOf(chatOf(branch.id))).toHaveLength(4);
    expect(await messagesOf(chat_id)).toHaveLength(4);

    const again = await openai.responses.retrieve(first.id);
    expect(again.output).toEqual(first.output);
    const { data } = await openai.responses.inputItems.list(first.id);
    expect(data).toMatchObject([{ role: 'user', content: [{ text: 'I am Ada.' }] }]);
  });

  test('continues a chat of the web UI, and the web UI continues it', async () => {
    provider.answer(answer([text('One.')]));
    const { id: chat_id } = await owner.ok('createChat', { body: { content: 'Count.' } });
    await statusIs(chat_id, 'waiting');
    provider.answer(answer([text('Two.')]));
    const conversation = `conv_${chat_id.replaceAll('-', '')}`;
    const response = await openai.responses.create({ input: 'Go on.', conversation });
    expect(response.output_text).toBe('Two.');
    provider.answer(answer([text('Three.')]));
    await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'And?' } });
    await statusIs(chat_id, 'waiting');
    const items = await all(openai.conversations.items.list(conversation, { order: 'asc' }));
    expect(items.map((item) => (item.type === 'message' ? item.role : item.type))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const [item] = items;
    const path = { conversation_id: conversation };
    expect(await openai.conversations.items.retrieve(item?.id ?? '', path)).toEqual(item);
    expect((await failure(openai.conversations.items.retrieve('msg_1', path))).status).toBe(404);
    expect((await openai.responses.retrieve(response.id)).output_text).toBe('Two.');
  });

  test('takes images and files, and a whole history', async () => {
    provider.answer(answer([text('A dot.')]));
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const response = await openai.responses.create({
      input: [
        { role: 'developer', content: 'Be exact.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi!' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' },
            {
              type: 'input_file',
              filename: 'note.txt',
              file_data: `data:text/plain;base64,${Buffer.from('a note').toString('base64')}`,
            },
          ],
        },
      ],
    });
    expect(response).toMatchObject({ output_text: 'A dot.', instructions: 'Be exact.' });
    const sent = JSON.stringify(provider.requests.at(-1)?.body);
    for (const part of ['Hello', 'Hi!', 'What is this?', pixel, 'Be exact.']) {
      expect(sent).toContain(part);
    }
    const url = await failure(
      openai.responses.create({
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
            ],
          },
        ],
      }),
    );
    expect([url.status, url.param]).toEqual([400, 'input.0.content.0.image_url']);
  });

  test('with an Idempotency-Key is created once', async () => {
    provider.answer(answer([text('Once.')]));
    const create = () =>
      openai.responses.create({ input: 'Hi' }, { headers: { 'Idempotency-Key': 'k-1' } });
    const [one, two] = [await create(), await create()];
    expect([two.id, two.output_text]).toEqual([one.id, 'Once.']);
    const other = openai.responses.create(
      { input: 'Ho' },
      { headers: { 'Idempotency-Key': 'k-1' } },
    );
    expect((await failure(other)).status).toBe(422);
  });

  test('can be deleted with its chat, unless it is part of a conversation', async () => {
    provider.answer(answer([text('One.')]), answer([text('Two.')]));
    const one = await openai.responses.create({ input: 'Hi' });
    const two = await openai.responses.create({ input: 'Hi', previous_response_id: one.id });
    expect((await failure(openai.responses.delete(one.id))).message).toContain('conv_');
    expect((await failure(openai.responses.delete(two.id))).status).toBe(400);
    await openai.conversations.delete(two.conversation?.id ?? '');
    expect((await failure(openai.responses.retrieve(one.id))).status).toBe(404);
    provider.answer(answer([text('Three.')]));
    const { id } = await openai.responses.create({ input: 'Hi' });
    await openai.responses.delete(id);
    expect((await failure(openai.responses.retrieve(id))).status).toBe(404);
  });
});

describe('function tools', () => {
  test('are executed by the client', async () => {
    provider.answer(
      answer([text('Let me see.'), toolCall('weather', { city: 'Oslo' }), toolCall('look', {})]),
      answer([text('It rains.')]),
    );
    const asked = await openai.responses.create({ input: 'Weather in Oslo?', tools: [WEATHER] });
    expect(asked.status).toBe('completed');
    const call = asked.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' });
    expect(asked.output.find((item) => item.type === 'mcp_call')).toMatchObject({
      server_label: 'chatd',
      name: 'look',
      output: 'seen',
    });
    const early = openai.responses.create({ input: 'Hm?', previous_response_id: asked.id });
    expect((await failure(early)).message).toContain(call?.call_id);
    const answered = await openai.responses.create({
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' }],
    });
    expect(answered.output_text).toBe('It rains.');
    expect(chatOf(answered.id)).toBe(chatOf(asked.id));
    expect((await openai.responses.retrieve(asked.id)).output).toEqual(asked.output);
    expect((await openai.responses.retrieve(answered.id)).output).toEqual(answered.output);
    const { data } = await openai.responses.inputItems.list(answered.id);
    expect(data.map((item) => item.type)).toContain('function_call_output');
  });

  test('accept outputs together with a message', async () => {
    provider.answer(answer([toolCall('weather', { city: 'Oslo' })]), answer([text('Il pleut.')]));
    const asked = await openai.responses.create({ input: 'Weather in Oslo?', tools: [WEATHER] });
    const call = asked.output.find((item) => item.type === 'function_call');
    const answered = await openai.responses.create({
      previous_response_id: asked.id,
      input: [
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' },
        { role: 'user', content: 'In French.' },
      ],
    });
    expect(answered).toMatchObject({ status: 'completed', output_text: 'Il pleut.' });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('In French.');
  });

  test('work with the whole history instead of a conversation', async () => {
    provider.answer(answer([text('It rains.')]));
    const response = await openai.responses.create({
      store: false,
      tools: [WEATHER],
      input: [
        { role: 'user', content: 'Weather in Oslo?' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'rain' },
      ],
    });
    expect(response).toMatchObject({ output_text: 'It rains.', store: false, conversation: null });
    await eventually(async () =>
      expect((await failure(openai.responses.retrieve(response.id))).status).toBe(404),
    );
  });

  test('of the server wait for an approval', async () => {
    await owner.ok('updateApprovals', {
      body: { approvals: [{ pattern: 'look', action: 'ask' }] },
    });
    provider.answer(answer([toolCall('look', {})]), answer([text('I saw it.')]));
    const asked = await openai.responses.create({ input: 'Look.' });
    const request = asked.output.find((item) => item.type === 'mcp_approval_request');
    expect(request).toMatchObject({ name: 'look', server_label: 'chatd' });
    const approved = await openai.responses.create({
      previous_response_id: asked.id,
      input: [
        {
          type: 'mcp_approval_response',
          approve: true,
          approval_request_id: request?.id ?? '',
        },
      ],
    });
    expect(approved.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect((await openai.responses.retrieve(asked.id)).output).toEqual(asked.output);
    await owner.ok('updateApprovals', { body: { approvals: [] } });
  });
});

describe('a stream', () => {
  test('has every event once, and the client’s helper builds the same response', async () => {
    provider.answer(answer([text('Hello there.', { chunks: 4 })]));
    const stream = openai.responses.stream({ input: 'Hi' });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const final = await stream.finalResponse();
    expect(deltas(events).join('')).toBe('Hello there.');
    expect(final.output_text).toBe('Hello there.');
    const numbers = events.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(await openai.responses.retrieve(final.id)).toMatchObject({
      output: [{ type: 'message', content: [{ text: 'Hello there.' }] }],
    });
  });

  test('resumes after any event if the connection is cut mid-answer', async () => {
    const pause = gate();
    provider.answer(answer([text(['Hel', 'lo ', pause, 'the', 're.'])]));
    const stream = await openai.responses.create({ input: 'Hi', background: true, stream: true });
    const seen: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (deltas(seen).join('') === 'Hello ') break;
    }
    const [created] = seen;
    const id = created?.type === 'response.created' ? created.response.id : '';
    expect(await openai.responses.retrieve(id)).toMatchObject({ status: 'in_progress' });
    const starting_after = seen.at(-1)?.sequence_number ?? 0;
    const resumed = await openai.responses.retrieve(id, { stream: true, starting_after });
    pause.release();
    const rest = await all(resumed);
    expect(deltas(rest).join('')).toBe('there.');
    const whole = await all(await openai.responses.retrieve(id, { stream: true }));
    expect(others([...seen, ...rest])).toEqual(others(whole));
    for (const [index, { sequence_number }] of [...seen, ...rest].entries()) {
      const after = { stream: true as const, starting_after: sequence_number };
      const later = await all(await openai.responses.retrieve(id, after));
      const both = [...[...seen, ...rest].slice(0, index + 1), ...later];
      expect(deltas(both).join('')).toBe('Hello there.');
      expect(others(both)).toEqual(others(whole));
    }
  });

  test('survives a provider that fails mid-answer and then repeats the same answer', async () => {
    const whole = answer([text('One two three four five six.', { chunks: 6 })]);
    provider.answer(fault.reset({ afterParts: 3, of: whole }), whole);
    const events = await all(await openai.responses.create({ input: 'Hi', stream: true }));
    expect(deltas(events).join('')).toBe('One two three four five six.');
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  test('ends with response.failed when the provider refuses', async () => {
    provider.answer(fault.badKey());
    const events = await all(await openai.responses.create({ input: 'Hi', stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
  });

  test('ends as incomplete at the output limit', async () => {
    provider.answer(answer([text('Half a')], { finish: 'length' }));
    const events = await all(await openai.responses.create({ input: 'Hi', stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
  });

  test('ends when the response is canceled, and keeps its output', async () => {
    const pause = gate();
    provider.answer(answer([text(['Half', pause, ' more'])]));
    const stream = await openai.responses.create({ input: 'Hi', background: true, stream: true });
    const seen: ResponseStreamEvent[] = [];
    let canceled: Promise<OpenAI.Responses.Response> | undefined;
    for await (const event of stream) {
      seen.push(event);
      if (event.type !== 'response.output_text.delta' || canceled !== undefined) continue;
      const [created] = seen;
      canceled = openai.responses.cancel(
        created?.type === 'response.created' ? created.response.id : '',
      );
    }
    pause.release();
    const response = await canceled;
    expect(response).toMatchObject({
      status: 'cancelled',
      output: [{ content: [{ text: 'Half' }] }],
    });
    expect(seen.at(-1)).toMatchObject({ response: { status: 'cancelled' } });
    // Canceling is idempotent.
    expect((await openai.responses.cancel(response?.id ?? '')).status).toBe('cancelled');
  });
});

test('a background response is polled, and a second one waits in the queue', async () => {
  const pause = gate();
  provider.answer(answer([text([pause, 'One.'])]), answer([text('Two.')]));
  const one = await openai.responses.create({ input: 'Hi', background: true });
  expect(one).toMatchObject({ status: 'in_progress', background: true, output: [] });
  const two = await openai.responses.create({
    input: 'Again',
    background: true,
    previous_response_id: one.id,
  });
  pause.release();
  await eventually(async () =>
    expect(await openai.responses.retrieve(two.id)).toMatchObject({ output_text: 'Two.' }),
  );
  expect(await openai.responses.retrieve(one.id)).toMatchObject({
    status: 'completed',
    output_text: 'One.',
  });
});

test('a conversation is an empty chat, or one with a history', async () => {
  const { id } = await openai.conversations.create({
    metadata: { topic: 'demo' },
    items: [{ type: 'message', role: 'user', content: 'Hello!' }],
  });
  provider.answer(answer([text('Hi.')]));
  expect((await openai.responses.create({ conversation: id, input: 'Hey' })).output_text).toBe(
    'Hi.',
  );
  expect(await openai.conversations.update(id, { metadata: { topic: 'other' } })).toMatchObject({
    metadata: { topic: 'other' },
  });
  expect(await owner.ok('getChat', { params: { chat_id: chatOf(id) } })).toMatchObject({
    labels: { topic: 'other' },
  });
  const { id: empty } = await openai.conversations.create({});
  provider.answer(answer([text('First.')]));
  const first = await openai.responses.create({ conversation: empty, input: 'Hey' });
  expect(first.output_text).toBe('First.');
});

test('models are listed by name', async () => {
  const names = (await all(openai.models.list())).map(({ id }) => id);
  expect(names[0]).toBe(MODEL);
  expect(await openai.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
});

describe('a request is refused', () => {
  test('with call arguments that are nested too deeply or cannot be stored', async () => {
    for (const json of ['['.repeat(70) + ']'.repeat(70), '"\\u0000"', '{']) {
      const call = { type: 'function_call' as const, call_id: 'c', name: 'f', arguments: json };
      const input = [call, { type: 'function_call_output' as const, call_id: 'c', output: 'x' }];
      const { status, param } = await failure(openai.responses.create({ input }));
      expect([status, param], json).toEqual([400, 'input.0.arguments']);
    }
  });

  test('without a valid token', async () => {
    for (const client of [clientOf(url, {}), clientOf(url, anonymous.headers)]) {
      const error = await failure(client.responses.create({ input: 'Hi' }));
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error.code).toBe('invalid_api_key');
    }
  });

  test('for a response of another user', async () => {
    provider.answer(answer([text('Mine.')]));
    const mine = await openai.responses.create({ input: 'Hi' });
    const theirs = clientOf(url, stranger.headers);
    const conversation = mine.conversation?.id ?? '';
    for (const attempt of [
      () => theirs.responses.retrieve(mine.id),
      () => theirs.responses.cancel(mine.id),
      () => theirs.responses.delete(mine.id),
      () => theirs.responses.inputItems.list(mine.id),
      () => theirs.responses.create({ input: 'Hi', previous_response_id: mine.id }),
      () => theirs.responses.create({ input: 'Hi', conversation }),
      () => theirs.conversations.retrieve(conversation),
      () => theirs.conversations.update(conversation, { metadata: {} }),
      () => theirs.conversations.delete(conversation),
      () => theirs.conversations.items.list(conversation),
      () => clientOf(url, admin.headers).responses.retrieve(mine.id),
    ]) {
      expect(await failure(attempt())).toMatchObject({ status: 404, code: 'not_found' });
    }
    const unknown = mine.id.replace(/m\d+$/, 'm999999999');
    expect((await failure(openai.responses.retrieve(unknown))).status).toBe(404);
    expect((await failure(openai.responses.retrieve('resp_x'))).status).toBe(404);
  });

  test.each([
    [{ temperature: 0.2 }, 'temperature'],
    [{ max_output_tokens: 5 }, 'max_output_tokens'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ text: { format: { type: 'json_object' } } }, 'text.format'],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [{ wrong: 1 }, 'wrong'],
    [{ store: false, background: true }, 'store'],
    [{ metadata: { 'no spaces': 'x' } }, 'metadata'],
    [{ input: [] }, 'input'],
    [{ input: ' ' }, 'input'],
  ])('with %j', async (over, param) => {
    const body = { input: 'Hi', ...over } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const error = await failure(openai.responses.create(body));
    expect([error.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param]);
  });

  test('for an unknown model, and for an unknown path', async () => {
    const error = await failure(openai.responses.create({ model: 'gpt-0', input: 'Hi' }));
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    expect((await failure(openai.embeddings.create({ model: 'x', input: 'y' }))).status).toBe(404);
  });
});

describe('a chat completion', () => {
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Hi' },
  ];

  test('takes the whole history, and is not stored by default', async () => {
    const before = (await owner.ok('listChats')).chats.length;
    provider.answer(answer([text('Hello.')]));
    const done = await openai.chat.completions.create({ model: MODEL, messages });
    expect(done).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    await eventually(async () => expect((await owner.ok('listChats')).chats).toHaveLength(before));
    provider.answer(answer([text('Kept.')]));
    const kept = await openai.chat.completions.create({ model: MODEL, messages, store: true });
    const chat_id = chatOf(kept.id.replace('chatcmpl-', 'x_'));
    expect(await messagesOf(chat_id)).toHaveLength(2);
  });

  test('that is stored can be retrieved and deleted', async () => {
    provider.answer(answer([text('Kept.')]));
    const messages = [
      { role: 'user' as const, content: 'One.' },
      { role: 'assistant' as const, content: 'Two.' },
      { role: 'user' as const, content: 'Keep this.' },
    ];
    const { completions } = openai.chat;
    const kept = await completions.create({ model: MODEL, messages, store: true });
    expect(await completions.retrieve(kept.id)).toEqual(kept);
    expect(await completions.delete(kept.id)).toMatchObject({ deleted: true });
    expect((await failure(completions.retrieve(kept.id))).status).toBe(404);
    expect((await failure(completions.retrieve('chatcmpl-unknown'))).status).toBe(404);
  });

  test('is streamed, with tools of the client', async () => {
    provider.answer(answer([text('See:', { chunks: 2 }), toolCall('weather', { city: 'Oslo' })]));
    const tools = [
      {
        type: 'function' as const,
        function: { name: 'weather', parameters: WEATHER.parameters },
      },
    ];
    const stream = openai.chat.completions.stream({
      model: MODEL,
      messages,
      tools,
      stream_options: { include_usage: true },
    });
    const asked = await stream.finalChatCompletion();
    const [choice] = asked.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'See:' } });
    expect(asked.usage?.total_tokens).toBe(15);
    const [call] = choice?.message.tool_calls ?? [];
    if (call?.type !== 'function') throw new Error('No call.');
    provider.answer(answer([text('Rain.')]));
    const done = await openai.chat.completions.create({
      model: MODEL,
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: 'See:', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'rain' },
      ],
    });
    expect(done.choices[0]?.message.content).toBe('Rain.');
  });

  test('fails with the error of the provider', async () => {
    provider.answer(fault.badKey(), fault.badKey());
    expect((await failure(openai.chat.completions.create({ model: MODEL, messages }))).status).toBe(
      502,
    );
    const stream = await openai.chat.completions.create({ model: MODEL, messages, stream: true });
    await expect(all(stream)).rejects.toBeInstanceOf(APIError);
  });
});
