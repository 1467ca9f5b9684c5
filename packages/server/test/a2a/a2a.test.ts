import { type ListTasksRequest, TaskState } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { answer, fault, gate, text, toolCall } from '@chatd/testing';
import { eventually } from '@chatd/test-server/eventually';
import { describe, expect, test } from 'vitest';
import { startFace } from '../openai/face.ts';
import {
  asTask,
  connect,
  dataPart,
  Followed,
  message,
  named,
  rawPart,
  stateOf,
  statusOf,
  type Task,
  textOf,
  textPart,
  urlPart,
} from './agent.ts';

const { owner, stranger, anonymous, provider, url } = await startFace();
const client = await connect(url, owner.headers);

const send = async (...given: Parameters<typeof message>): Promise<Task> =>
  asTask(await client.sendMessage(message(...given)));
const stream = (...given: Parameters<typeof message>) =>
  new Followed().all(client.sendMessageStream(message(...given)));
const list = (given: Partial<ListTasksRequest>, from = client) =>
  from.listTasks({
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
    ...given,
  });
const get = (id: string) => client.getTask(named(id));

test('the agent card is public and describes authentication', async () => {
  const response = await fetch(new URL('/.well-known/agent-card.json', url));
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject({
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: 'JSONRPC' }],
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  });
});

describe('a task', () => {
  test('is a turn of a new chat, and the context continues it', async () => {
    provider.answer(answer([text('Hello, Ada.')], { usage: { cacheRead: 3 } }));
    const first = await send('I am Ada.');
    expect([stateOf(first), textOf(first)]).toEqual(['COMPLETED', 'Hello, Ada.']);
    expect(first.metadata).toMatchObject({
      usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 3 },
    });
    expect(first.history.map(({ parts }) => parts)).toMatchObject([[textPart('I am Ada.')]]);
    provider.answer(answer([text('Ada.')]));
    const second = await send('Who am I?', { contextId: first.contextId }, { historyLength: 0 });
    expect([second.contextId, textOf(second)]).toEqual([first.contextId, 'Ada.']);
    expect([second.history, second.id === first.id]).toEqual([[], false]);
    expect(await get(first.id)).toEqual(first);
  });

  test('continues a chat of the web UI, and the web UI continues it', async () => {
    provider.answer(answer([text('One.')]), answer([text('Two.')]), answer([text('Three.')]));
    const { id: chat_id } = await owner.ok('createChat', { body: { content: 'Count.' } });
    const task = await send('Go on.', { contextId: chat_id });
    expect(textOf(task)).toBe('Two.');
    const params = { chat_id };
    await owner.ok('sendMessage', { params, body: { content: 'And?' } });
    await eventually(async () =>
      expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'waiting' }),
    );
    expect(textOf(await get(task.id))).toBe('Two.');
    const listed = await list({ contextId: chat_id, includeArtifacts: true });
    expect(listed.tasks.map(textOf)).toEqual(['Three.', 'Two.', 'One.']);
    expect(listed).toMatchObject({ totalSize: 3, nextPageToken: '' });
    const page = { contextId: chat_id, pageSize: 2 };
    const { tasks, nextPageToken: pageToken } = await list(page);
    expect(tasks.map(({ artifacts }) => artifacts)).toEqual([[], []]);
    const rest = await list({ ...page, pageToken });
    expect(rest.tasks.map(({ id }) => id)).toEqual([listed.tasks[2]?.id]);
    const latest = await list({ pageSize: 1 });
    expect(latest.tasks.map(({ id }) => id)).toEqual([listed.tasks[0]?.id]);
  });

  test('takes files and data', async () => {
    provider.answer(answer([text('A dot.')]));
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const parts = [
      textPart('What is this?'),
      rawPart(pixel, 'image/png', 'dot.png'),
      urlPart('data:text/plain,a%20note'),
      dataPart({ answer: 42 }),
    ];
    const request = message(parts);
    const task = asTask(await client.sendMessage(request));
    expect(textOf(task)).toBe('A dot.');
    const sent = JSON.stringify(provider.requests.at(-1)?.body);
    for (const given of [pixel, 'a note', 'answer']) expect(sent).toContain(given);
    // A repeated message with files is the same message.
    expect(await client.sendMessage(request)).toEqual(task);
    const fetched = send([urlPart('https://example.com/a.png')]);
    await expect(fetched).rejects.toThrow(ContentTypeNotSupportedError);
  });

  test('is created once per message', async () => {
    provider.answer(answer([text('Once.')]));
    const request = message('Hi');
    const [one, two] = await Promise.all([
      client.sendMessage(request),
      new Followed().all(client.sendMessageStream(request)),
    ]);
    expect([asTask(one).id, two.text]).toEqual([two.task?.id, 'Once.']);
    const { messageId = '' } = request.message ?? {};
    await expect(send('Ho', { messageId })).rejects.toThrow('different request');
  });

  test('waits in the queue of its context', async () => {
    const pause = gate();
    provider.answer(answer([text([pause, 'One.'])]), answer([text('Two.')]));
    const one = await send('Hi', {}, { returnImmediately: true });
    expect(stateOf(one)).toBe('WORKING');
    const { contextId } = one;
    const two = await send('Again', { contextId }, { returnImmediately: true });
    const three = await send('And again', { contextId }, { returnImmediately: true });
    expect([two, three, await get(two.id)].map(stateOf)).toEqual(Array(3).fill('SUBMITTED'));
    expect(stateOf(await client.cancelTask({ ...named(three.id), metadata: {} }))).toBe('CANCELED');
    const followed = new Followed();
    const following = followed.all(client.resubscribeTask(named(two.id)));
    // A task that has ended cannot be subscribed to.
    await eventually(async () => expect(followed.task).toBeDefined());
    pause.release();
    expect(await following).toMatchObject({ text: 'Two.', state: 'COMPLETED' });
    expect([await get(one.id), await get(two.id)].map(textOf)).toEqual(['One.', 'Two.']);
    await expect(get(three.id)).rejects.toThrow(TaskNotFoundError);
  });

  test('fails with the error of the provider', async () => {
    provider.answer(fault.badKey());
    const failed = await stream('Hi');
    expect(failed.state).toBe('FAILED');
    expect(statusOf(failed.task!).said).not.toBe('');
    expect(stateOf(await get(failed.task!.id))).toBe('FAILED');
  });
});

describe('input', () => {
  test('is an answer to a question, given once', async () => {
    const asked = { question: 'Which color?', options: [{ label: 'Red' }, { label: 'Green' }] };
    provider.answer(
      answer([text('Let me ask.'), toolCall('ask_user_question', asked)]),
      answer([text('Green it is.')]),
    );
    const waiting = await stream('Paint it.');
    expect(waiting.state).toBe('INPUT_REQUIRED');
    const { id: taskId, contextId } = waiting.task!;
    expect(statusOf(waiting.task!).said).toBe('Which color?\n- Red\n- Green');
    expect(stateOf(await get(taskId))).toBe('INPUT_REQUIRED');
    const other = { taskId, contextId: '0198d7a0-0000-7000-8000-000000000000' };
    await expect(send('Green', other)).rejects.toThrow('not in the context');
    const request = message('Green', { taskId });
    const done = await new Followed().all(client.sendMessageStream(request));
    expect(done).toMatchObject({ state: 'COMPLETED', text: 'Let me ask.|Green it is.' });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('Green');
    expect(asTask(await client.sendMessage(request))).toEqual(await get(taskId));
    await expect(send('Blue', { taskId })).rejects.toThrow(UnsupportedOperationError);
    expect((await get(taskId)).contextId).toBe(contextId);
  });

  test('with the ID of an earlier message answers another task', async () => {
    for (const color of ['Red', 'Green']) {
      const asked = answer([toolCall('ask_user_question', { question: 'Which color?' })]);
      provider.answer(asked, answer([text(`${color} it is.`)]));
      const { id: taskId } = await send('Paint it.');
      const done = await send(color, { taskId, messageId: 'message-1' });
      expect(textOf(done)).toBe(`${color} it is.`);
    }
  });

  test('is an approval, as text or as data', async () => {
    await owner.ok('updateApprovals', {
      body: { approvals: [{ pattern: 'look', action: 'ask' }] },
    });
    provider.answer(
      answer([toolCall('look', {}), toolCall('look', {})]),
      answer([toolCall('look', {})]),
      answer([text('I saw it.')]),
    );
    const { id: taskId, ...asked } = await send('Look.');
    const { tool_calls } = statusOf(asked as Task).data as {
      tool_calls: { tool_call_id: string }[];
    };
    expect(tool_calls).toHaveLength(2);
    await expect(send('allow', { taskId })).rejects.toThrow(tool_calls[0]!.tool_call_id);
    const [first, second] = tool_calls.map(({ tool_call_id }) =>
      dataPart({ tool_call_id, decision: 'allow' }),
    );
    expect(stateOf(await send([first!], { taskId }))).toBe('INPUT_REQUIRED');
    const again = await send([second!], { taskId });
    expect(stateOf(again)).toBe('INPUT_REQUIRED');
    expect(statusOf(again).said).toContain('Approval required: look');
    await expect(send('maybe', { taskId })).rejects.toThrow('"allow" or "deny"');
    expect(await send('Yes.', { taskId })).toMatchObject({ id: taskId, status: { state: 3 } });
    await owner.ok('updateApprovals', { body: { approvals: [] } });
  });

  test('is refused while the task works, and a canceled task needs none', async () => {
    provider.answer(answer([toolCall('ask_user_question', { question: 'Really?' })]));
    const { id } = await send('Hm.');
    expect(stateOf(await client.cancelTask({ ...named(id), metadata: {} }))).toBe('CANCELED');
    const pause = gate();
    provider.answer(answer([text([pause, 'Done.'])]));
    const { id: taskId } = await send('Work.', {}, { returnImmediately: true });
    await expect(send('More', { taskId })).rejects.toThrow('needs no input');
    pause.release();
  });
});

describe('a stream', () => {
  test('begins with the task, appends text, and ends with the status', async () => {
    provider.answer(
      answer([text('Let me see.'), toolCall('look', {})]),
      answer([text('Hello there.', { chunks: 4 })]),
    );
    const { events, text: said, state, deltas } = await stream('Hi');
    expect([said, state]).toEqual(['Let me see.|Hello there.', 'COMPLETED']);
    expect(deltas.join('')).toBe('Let me see.Hello there.');
    expect(events[0]?.payload?.$case).toBe('task');
    expect(JSON.stringify(events)).toContain('"tool_name":"look"');
    expect(events.at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { metadata: { usage: { output_tokens: 10 } } },
    });
  });

  test('is resumed in mid-answer without lost or repeated text', async () => {
    const pause = gate();
    provider.answer(
      answer([text('One.'), toolCall('look', {})]),
      answer([text(['Hel', 'lo ', pause, 'the', 're.'])]),
    );
    const seen = new Followed();
    for await (const event of client.sendMessageStream(message('Hi'))) {
      seen.take(event);
      if (seen.text === 'One.|Hello ') break;
    }
    const { id } = seen.task!;
    expect(await get(id)).toMatchObject({ artifacts: [{ artifactId: '1' }] });
    const resumed = client.resubscribeTask(named(id));
    seen.take((await resumed.next()).value!);
    expect(seen.text).toBe('One.');
    seen.take((await resumed.next()).value!);
    expect(seen.text).toBe('One.|Hello ');
    pause.release();
    await seen.all(resumed);
    expect([seen.text, seen.state]).toEqual(['One.|Hello there.', 'COMPLETED']);
    await expect(client.resubscribeTask(named(id)).next()).rejects.toThrow(
      UnsupportedOperationError,
    );
  });

  test('has the text of the attempt that succeeds', async () => {
    provider.answer(
      fault.reset({ afterParts: 3, of: answer([text('One two three four.', { chunks: 6 })]) }),
      answer([text('Another answer.', { chunks: 3 })]),
    );
    const { text: said, state } = await stream('Hi');
    expect([said, state]).toEqual(['Another answer.', 'COMPLETED']);
  });

  test('ends when the task is canceled, and keeps its text', async () => {
    const pause = gate();
    provider.answer(answer([text(['Half', pause, ' more'])]));
    const seen = new Followed();
    let canceled: Promise<Task> | undefined;
    for await (const event of client.sendMessageStream(message('Hi'))) {
      seen.take(event);
      if (seen.text === 'Half') {
        canceled ??= client.cancelTask({ ...named(seen.task!.id), metadata: {} });
      }
    }
    pause.release();
    expect([seen.state, seen.text]).toEqual(['CANCELED', 'Half']);
    const { id } = await canceled!;
    expect(stateOf(await get(id))).toBe('CANCELED');
    const again = client.cancelTask({ ...named(id), metadata: {} });
    await expect(again).rejects.toThrow(TaskNotCancelableError);
  });
});

const post = (body: object | string, headers: Record<string, string> = owner.headers) =>
  fetch(new URL('/a2a', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a request is refused', () => {
  test('without a valid token', async () => {
    for (const headers of [{}, anonymous.headers, { authorization: 'Bearer wrong-0123456789' }]) {
      const other = await connect(url, headers);
      await expect(other.sendMessage(message('Hi'))).rejects.toMatchObject({
        envelopeCode: -32_000,
      });
      const streaming = other.sendMessageStream(message('Hi'));
      await expect(streaming.next()).rejects.toMatchObject({ envelopeCode: -32_000 });
    }
    const none = await post({}, {});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="chatd"',
    ]);
  });

  test('for a task of another user', async () => {
    provider.answer(answer([text('Mine.')]));
    const { id, contextId } = await send('Hi');
    const theirs = await connect(url, stranger.headers);
    for (const attempt of [
      () => theirs.getTask(named(id)),
      () => theirs.cancelTask({ ...named(id), metadata: {} }),
      () => theirs.resubscribeTask(named(id)).next(),
      () => theirs.sendMessage(message('Hi', { taskId: id })),
      () => theirs.sendMessage(message('Hi', { contextId })),
      () => theirs.sendMessageStream(message('Hi', { contextId })).next(),
      () => list({ contextId }, theirs),
      () => client.getTask(named(`${contextId}-m999999999`)),
      () => client.getTask(named(`${contextId}-q1`)),
      () => client.getTask(named('x')),
      () => client.sendMessage(message('Hi', { contextId: 'x' })),
    ]) {
      await expect(attempt()).rejects.toThrow(TaskNotFoundError);
    }
    expect((await list({}, theirs)).tasks).toEqual([]);
  });

  test('for an unsupported operation', async () => {
    const pushed = { taskPushNotificationConfig: { url: 'https://example.com' } as never };
    await expect(send('Hi', {}, pushed)).rejects.toThrow(PushNotificationNotSupportedError);
    await expect(send(' ')).rejects.toThrow('blank');
    const request = { jsonrpc: '2.0', id: 1, params: {} };
    for (const [body, code] of [
      ['{', -32_700],
      [{}, -32_600],
      [[], -32_600],
      [{ ...request, method: 'Other' }, -32_601],
      [{ ...request, method: 'constructor' }, -32_601],
      [{ ...request, method: 'SendMessage' }, -32_602],
      [{ ...request, method: 'GetTaskPushNotificationConfig' }, -32_003],
      [{ ...request, method: 'GetExtendedAgentCard' }, -32_004],
      [{ ...request, method: 'message/send' }, -32_009],
    ] as const) {
      expect(await (await post(body)).json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
    }
    const old = await post(
      { ...request, method: 'GetTask' },
      { ...owner.headers, 'a2a-version': '0.3' },
    );
    expect(await old.json()).toMatchObject({ id: 1, error: { code: -32_009 } });
  });
});
