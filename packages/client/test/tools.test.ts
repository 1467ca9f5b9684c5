import { answer, text, toolCall } from '@chatd/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { poll } from './support/poll.ts';
import { z } from 'zod';
import {
  type Client,
  dynamicTools,
  NotAwaited,
  runTools,
  type RunToolsOptions,
} from '../src/index.ts';
import { hastyClock } from './support/hasty-clock.ts';
import { setUp, titled } from './support/server.ts';

const { client, fake, clientOf } = await setUp();

const add = {
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number(), b: z.number().default(10) }),
  run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
};

/** The results that the model got, by call ID. */
async function resultsIn(chatId: string): Promise<Record<string, unknown>> {
  const { messages } = await client.chats.messages(chatId);
  const parts = messages.flatMap(({ content }) => content);
  return Object.fromEntries(
    parts.flatMap((part) =>
      part.type === 'tool-result'
        ? [[part.tool_call_id, part.is_error === true ? { error: part.result } : part.result]]
        : [],
    ),
  );
}

const calls = (...parts: ReturnType<typeof toolCall>[]) => {
  fake.answer(answer(parts), answer([text('Done.')]));
};

/** An idle chat whose tools this process runs. */
async function chatWith(
  tools: Parameters<typeof dynamicTools>[0],
  by: Client = client,
  options: RunToolsOptions = {},
) {
  fake.answer(answer([text('Hello.')]));
  const { chat, turn } = await client.chats.begin(titled('hello'));
  await turn.result();
  const run = runTools(by, chat.id, tools as never, options);
  onTestFinished(() => run.stop());
  await run.ready;
  return { id: chat.id, run };
}

describe('tools of a program', () => {
  test('are declared to the chat and answer its calls', async () => {
    const { id } = await chatWith({
      add,
      echo: {
        description: 'Says it again.',
        schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run: ({ text }: { text: string }) => Promise.resolve(text),
      },
      nothing: { description: 'Does nothing.', run: () => undefined },
    });
    const { dynamic_tools } = await client.chats.get(id);
    expect(dynamic_tools.map(({ name }) => name)).toEqual(['add', 'echo', 'nothing']);
    expect(dynamic_tools[0]?.input_schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' }, b: { default: 10 } },
      required: ['a'],
    });
    calls(
      toolCall('add', { a: 1 }, { id: 'toolu_1' }),
      toolCall('echo', { text: 'hé' }, { id: 'toolu_2' }),
      toolCall('nothing', {}, { id: 'toolu_3' }),
    );
    expect(await client.chats.turn(id, 'go').result()).toMatchObject({ text: 'Done.' });
    expect(await resultsIn(id)).toEqual({ toolu_1: { sum: 11 }, toolu_2: 'hé', toolu_3: null });
    expect(fake.rejected).toEqual([]);
  });

  test('run concurrently', async () => {
    const both = Promise.withResolvers<string>();
    let running = 0;
    const meet = {
      description: 'Waits for the other.',
      run: () => {
        running += 1;
        if (running === 2) both.resolve('met');
        return both.promise;
      },
    };
    const { id } = await chatWith({ meet });
    calls(toolCall('meet', {}, { id: 'toolu_1' }), toolCall('meet', {}, { id: 'toolu_2' }));
    await client.chats.turn(id, 'go').result();
    expect(await resultsIn(id)).toEqual({ toolu_1: 'met', toolu_2: 'met' });
  });

  test('report their errors to the model', async () => {
    const { id } = await chatWith({
      add,
      strict: {
        description: 'Strict.',
        schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        run: () => 'never',
      },
      broken: { description: 'Fails.', run: () => Promise.reject(new Error('The disk is full.')) },
    });
    calls(
      toolCall('add', { a: 'one' }, { id: 'toolu_1' }),
      toolCall('strict', {}, { id: 'toolu_2' }),
      toolCall('broken', {}, { id: 'toolu_3' }),
    );
    await client.chats.turn(id, 'go').result();
    const results = (await resultsIn(id)) as Record<string, { error: string }>;
    expect(results['toolu_1']?.error).toMatch(/^Invalid arguments: a: .*number/);
    expect(results['toolu_2']?.error).toMatch(/^Invalid arguments: .*n/);
    expect(results['toolu_3']?.error).toBe('The disk is full.');
  });

  test('are aborted when the chat no longer waits for them', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const wait = {
      description: 'Waits.',
      run: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        begun.resolve(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    };
    const { id } = await chatWith({ wait });
    calls(toolCall('wait', {}, { id: 'toolu_1' }));
    const turn = client.chats.turn(id, 'go').result();
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    await client.chats.interrupt(id);
    await turn;
    await poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toBeInstanceOf(NotAwaited);
  });

  test('resend a result whose delivery was not acknowledged', async () => {
    const sent: string[] = [];
    const losing = clientOf({
      clock: hastyClock().clock,
      fetch: async (url, init) => {
        if (!url.endsWith('/tool-results')) return await fetch(url, init);
        sent.push(new Headers(init.headers).get('idempotency-key') ?? '');
        // More often than the client retries a call.
        if (sent.length <= 6) throw new TypeError('the connection was lost');
        await fetch(url, init);
        throw new TypeError('the answer was lost');
      },
    });
    let ran = 0;
    const { id } = await chatWith(
      { count: { description: 'Counts.', run: () => (ran += 1) } },
      losing,
    );
    calls(toolCall('count', {}, { id: 'toolu_1' }));
    await client.chats.turn(id, 'go').result();
    expect(await resultsIn(id)).toEqual({ toolu_1: 1 });
    expect(ran).toBe(1);
    expect(sent.length).toBeGreaterThan(6);
    expect(new Set(sent).size).toBe(1);
  });

  test('do not replace the result of another client', async () => {
    const { id } = await chatWith({
      slow: {
        description: 'Is slow.',
        run: async (_: unknown, { signal }: { signal: AbortSignal }) => {
          const results = [{ tool_call_id: 'toolu_1', output: 'faster' }];
          await client.chats.submitToolResults(id, { results });
          return signal.aborted ? 'late' : 'slower';
        },
      },
    });
    calls(toolCall('slow', {}, { id: 'toolu_1' }));
    await client.chats.turn(id, 'go').result();
    expect(await resultsIn(id)).toEqual({ toolu_1: 'faster' });
  });

  test('answer calls from before the program was started', async () => {
    fake.answer(answer([toolCall('late', {}, { id: 'toolu_1' })]), answer([text('Done.')]));
    const late = { description: 'Comes late.', run: () => 'here' };
    const { chat, turn } = await client.chats.begin({
      ...titled('go'),
      dynamic_tools: dynamicTools({ late }),
    });
    for await (const event of turn) if (event.type === 'action_required') break;
    const run = runTools(client, chat.id, { late });
    await poll(async () => (await client.chats.get(chat.id)).status).toBe('waiting');
    expect(await resultsIn(chat.id)).toEqual({ toolu_1: 'here' });
    await run.stop();
  });

  test('leave their calls to another program when they are stopped', async () => {
    const begun = Promise.withResolvers<void>();
    const hang = {
      description: 'Hangs.',
      run: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    };
    fake.answer(answer([toolCall('hang', {}, { id: 'toolu_1' })]), answer([text('Done.')]));
    const { chat } = await client.chats.begin({
      ...titled('go'),
      dynamic_tools: dynamicTools({ hang }),
    });
    const first = runTools(client, chat.id, { hang });
    await begun.promise;
    void first.stop();
    const second = runTools(client, chat.id, { hang: { ...hang, run: () => 'second' } });
    await poll(async () => (await client.chats.get(chat.id)).status).toBe('waiting');
    expect(await resultsIn(chat.id)).toEqual({ toolu_1: 'second' });
    await second.stop();
  });

  test('of several programs can serve one chat', async () => {
    const { id } = await chatWith({ add }, client, { keepOthers: true });
    const run = runTools(
      client,
      id,
      { mul: { description: 'Multiplies.', run: () => 6 } },
      { keepOthers: true },
    );
    await run.ready;
    expect((await client.chats.get(id)).dynamic_tools.map(({ name }) => name)).toEqual([
      'add',
      'mul',
    ]);
    calls(toolCall('mul', {}, { id: 'toolu_1' }));
    await client.chats.turn(id, 'go').result();
    expect(await resultsIn(id)).toEqual({ toolu_1: 6 });
    await run.stop();
  });

  test('end with the chat', async () => {
    const { id, run } = await chatWith({ add });
    await client.chats.delete(id);
    await expect(run.done).rejects.toMatchObject({ code: 'not_found' });
  });

  test('require an inputSchema if the schema has no JSON Schema', () => {
    const mute = {
      '~standard': { version: 1, vendor: 'mute', validate: (value: unknown) => ({ value }) },
    } as const;
    expect(() => dynamicTools({ x: { description: '', schema: mute, run: () => 1 } })).toThrow(
      'Set inputSchema',
    );
  });
});
