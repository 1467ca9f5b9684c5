import { expect, test } from 'vitest';
import {
  type AwaitedTool,
  type HistoryMessage,
  Interrupted,
  INTERRUPTED_RESULT,
  runTurn,
  ShuttingDown,
} from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { asked, partsOf, textOf, Watch } from './support/chat.ts';
import {
  called,
  calls,
  drivenStream,
  finish,
  said,
  says,
  scriptedModel,
  thought,
} from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

const part = (type: string) => (e: { type: string; part?: { type: string } }) =>
  e.type === 'part' && e.part?.type === type;

test.each(['ends', 'raises', 'ignores'] as const)(
  'an interrupt keeps partial text, reasoning, and incomplete calls when the stream %s on abort',
  async (onAbort) => {
    const driven = drivenStream(onAbort);
    const watch = new Watch();
    const history = asked();
    const controller = new AbortController();
    const readFile = counted('read_file');
    const model = scriptedModel([driven.answer]);
    const turn = runTurn({
      model,
      history,
      tools: [readFile],
      signal: controller.signal,
      publish: watch.publish,
    });
    await driven.opened;
    driven.push(
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'let me see' },
      { type: 'tool-input-start', id: 'tool-1', toolName: 'read_file' },
      { type: 'tool-input-delta', id: 'tool-1', delta: '{"path":"main.go"' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'partial output' },
    );
    await watch.untilText('partial output');
    controller.abort(new Interrupted());
    expect(await turn).toEqual({ type: 'interrupted' });

    expect(history.messages[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'let me see' },
        { type: 'tool-call', tool_call_id: 'tool-1', args: {}, raw_args: '{"path":"main.go"' },
        { type: 'text', text: 'partial output' },
      ],
      meta: { finish_reason: 'interrupted' },
    });
    expect(history.messages[1]).not.toHaveProperty('usage');
    expect(history.messages[2]).toMatchObject({
      role: 'tool',
      content: [
        {
          tool_call_id: 'tool-1',
          tool_name: 'read_file',
          is_error: true,
          result: INTERRUPTED_RESULT,
        },
      ],
    });
    expect(INTERRUPTED_RESULT).toBe('tool call was interrupted before it produced a result');
    expect(readFile.runs).toEqual([]);
  },
);

test('an interrupted step without content writes nothing', async () => {
  const driven = drivenStream();
  const history = asked();
  const controller = new AbortController();
  const turn = runTurn({
    model: scriptedModel([driven.answer]),
    history,
    signal: controller.signal,
  });
  await driven.opened;
  driven.push({ type: 'text-start', id: 't' });
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(history.messages).toHaveLength(1);
});

test('a model that never answers does not delay an interrupt', async () => {
  const controller = new AbortController();
  const model = scriptedModel([]);
  const called = Promise.withResolvers<void>();
  model.doStream = () => {
    called.resolve();
    return new Promise(() => {});
  };
  const turn = runTurn({ model, history: asked(), signal: controller.signal });
  await called.promise;
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
});

test('an interrupt while tools run keeps finished results and the error of a canceled tool', async () => {
  const controller = new AbortController();
  const history = asked();
  const started = Promise.withResolvers<void>();
  const quick = counted('quick', () => 'ready');
  const slow = counted('slow', (_, { signal }) => {
    started.resolve();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped by hand')));
    });
  });
  const model = scriptedModel([
    calls(said('calling'), thought('why'), called('quick', {}, 'q'), called('slow', {}, 's')),
  ]);
  const turn = runTurn({ model, history, tools: [quick, slow], signal: controller.signal });
  await started.promise;
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(history.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool']);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'q', result: 'ready' },
    { tool_call_id: 's', result: 'stopped by hand', is_error: true },
  ]);
  expect(textOf(history.messages)).toBe('calling');
  expect(partsOf(history.messages, 'reasoning')).toHaveLength(1);
});

test('an interrupt does not wait for a tool that ignores the abort signal', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const history = asked();
  const started = Promise.withResolvers<void>();
  const deaf = counted('deaf', () => {
    started.resolve();
    return new Promise(() => {});
  });
  const model = scriptedModel([calls(called('deaf', {}, 'd'))]);
  const turn = runTurn({ model, history, clock, tools: [deaf], signal: controller.signal });
  await started.promise;
  controller.abort(new Interrupted());
  await clock.waiting(5_000);
  clock.advance(5_000);
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { result: INTERRUPTED_RESULT, is_error: true },
  ]);
});

test('an interrupt answers calls that wait for a client, in call order', async () => {
  const controller = new AbortController();
  const history = asked();
  const dynamic: AwaitedTool = { name: 'slack', input: { type: 'object' }, answeredBy: 'client' };
  const stop = counted('stop', () => {
    controller.abort(new Interrupted());
    return 'stopped';
  });
  const model = scriptedModel([calls(called('slack', {}, 'd'), called('stop', {}, 's'))]);
  await runTurn({ model, history, tools: [dynamic, stop], signal: controller.signal });
  expect(partsOf(history.messages, 'tool-result').map((r) => [r.tool_call_id, r.result])).toEqual([
    ['d', INTERRUPTED_RESULT],
    ['s', 'stopped'],
  ]);
  expect(history.messages).toHaveLength(3);
});

test('if a commit loses the race against an interrupt, the interrupt commits its content once', async () => {
  const history = asked();
  let commits = 0;
  history.commit = () => {
    commits++;
    return Promise.reject(new Interrupted());
  };
  const model = scriptedModel([calls(said('hello world'), called('t', {}, 'c'))]);
  expect(await runTurn({ model, history, tools: [counted('t')] })).toEqual({ type: 'interrupted' });
  expect(commits).toBe(1);
  expect(textOf(history.messages)).toBe('hello world');
  expect(partsOf(history.messages, 'tool-call')).toHaveLength(1);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'c', result: INTERRUPTED_RESULT },
  ]);
});

test('an interrupt commits results whose own commit lost the race, unchanged', async () => {
  const history = asked();
  const commit = history.commit.bind(history);
  history.commit = (messages) =>
    messages.some((m) => m.role === 'tool') ? Promise.reject(new Interrupted()) : commit(messages);
  const model = scriptedModel([calls(called('t', {}, 'c'))]);
  await runTurn({ model, history, tools: [counted('t', () => 'done')] });
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'c', result: 'done' },
  ]);
});

test('the commit of an interrupted step gets no abort signal', async () => {
  const driven = drivenStream();
  const history = asked();
  const controller = new AbortController();
  const watch = new Watch();
  const written: (readonly HistoryMessage[])[] = [];
  history.finishInterruption = async (...args) => {
    expect(args).toHaveLength(1);
    await new Promise(setImmediate);
    written.push(args[0]);
  };
  const turn = runTurn({
    model: scriptedModel([driven.answer]),
    history,
    signal: controller.signal,
    publish: watch.publish,
  });
  await driven.opened;
  driven.push(...said('half'));
  await watch.until(part('text'));
  controller.abort(new Interrupted());
  await turn;
  expect(written).toHaveLength(1);
});

test('an interrupt between two steps takes effect before the next one starts', async () => {
  const controller = new AbortController();
  const history = asked();
  const commit = history.commit.bind(history);
  history.commit = async (messages) => {
    await commit(messages);
    controller.abort(new Interrupted());
  };
  const t = counted('t');
  const model = scriptedModel([calls(called('t', {}, 'c'))]);
  expect(await runTurn({ model, history, tools: [t], signal: controller.signal })).toEqual({
    type: 'interrupted',
  });
  expect(t.runs).toEqual([]);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([{ result: INTERRUPTED_RESULT }]);
});

test('a shutdown does not end the turn, and another run continues it', async () => {
  const controller = new AbortController();
  const history = asked();
  const started = Promise.withResolvers<void>();
  let first = true;
  const slow = counted('slow', (_, { signal }) => {
    if (!first) return 'second time';
    first = false;
    started.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  });
  const quick = counted('quick', () => 'kept', false);
  const model = scriptedModel([
    calls(called('slow', {}, 's'), called('quick', {}, 'q')),
    says('ok'),
  ]);
  const turn = runTurn({ model, history, tools: [slow, quick], signal: controller.signal });
  await started.promise;
  const reason = new ShuttingDown();
  controller.abort(reason);
  await expect(turn).rejects.toBe(reason);
  expect(history.status).toBe('running');
  // Finished results are committed, canceled calls stay open.
  expect(partsOf(history.messages, 'tool-result').map((r) => r.tool_call_id)).toEqual(['q']);

  history.takeOver();
  expect(await runTurn({ model, history, tools: [slow, quick] })).toEqual({ type: 'finished' });
  expect(partsOf(history.messages, 'tool-result').map((r) => r.result)).toEqual([
    'kept',
    'second time',
  ]);
  expect(quick.runs).toHaveLength(1);
});

test('a shutdown during a response commits none of it', async () => {
  const driven = drivenStream('ends');
  const watch = new Watch();
  const history = asked();
  const controller = new AbortController();
  const turn = runTurn({
    model: scriptedModel([driven.answer]),
    history,
    signal: controller.signal,
    publish: watch.publish,
  });
  await driven.opened;
  driven.push(...said('half'));
  await watch.until(part('text'));
  controller.abort(new ShuttingDown());
  await expect(turn).rejects.toBeInstanceOf(ShuttingDown);
  expect(history.messages).toHaveLength(1);
});

test('after an interrupt, unsigned reasoning and unanswered provider calls are not sent back', async () => {
  const driven = drivenStream();
  const watch = new Watch();
  const history = asked();
  const controller = new AbortController();
  const model = scriptedModel([driven.answer, says('again')], { provider: 'anthropic.messages' });
  const turn = runTurn({ model, history, signal: controller.signal, publish: watch.publish });
  await driven.opened;
  driven.push(
    ...thought('signed', 'sig', 'r1'),
    { type: 'reasoning-start', id: 'r2' },
    { type: 'reasoning-delta', id: 'r2', delta: 'unsigned' },
    {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'web_search',
      input: '{}',
      providerExecuted: true,
    },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'so' },
  );
  await watch.untilText('so');
  controller.abort(new Interrupted());
  await turn;
  // In the history, the call has its result in the usual place.
  expect(history.messages).toHaveLength(2);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 's', provider_executed: true, result: INTERRUPTED_RESULT },
  ]);
  history.send('go on');
  await runTurn({ model, history });
  expect(model.calls[1]?.prompt[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'signed' },
      { type: 'text', text: 'so' },
    ],
  });
  expect(model.calls[1]?.prompt[1]?.content).toHaveLength(2);
});

test('an interrupted turn without a new message stays finished', async () => {
  const controller = new AbortController();
  const history = asked();
  const t = counted('t', () => controller.abort(new Interrupted()));
  const model = scriptedModel([calls(called('t', {}, 'c'))]);
  await runTurn({ model, history, tools: [t], signal: controller.signal });
  expect(await runTurn({ model, history, tools: [t] })).toEqual({ type: 'finished' });
  expect(model.calls).toHaveLength(1);
});

test('a complete answer is kept with its usage if an interrupt arrives before its commit', async () => {
  const driven = drivenStream('ignores');
  const history = asked();
  const controller = new AbortController();
  const watch = new Watch();
  const turn = runTurn({
    model: scriptedModel([driven.answer]),
    history,
    signal: controller.signal,
    publish: watch.publish,
  });
  await driven.opened;
  driven.push(...said('whole'), finish('stop'));
  await watch.untilText('whole');
  await new Promise(setImmediate);
  controller.abort(new Interrupted());
  await turn;
  expect(history.messages[1]).toMatchObject({ usage: { input_tokens: 10 } });
});

test.each(['beginAttempt', 'finishTurn'] as const)(
  'an interrupt that %s reports before the abort signal ends the turn as interrupted',
  async (method) => {
    const history = asked();
    Object.assign(history, { [method]: () => Promise.reject(new Interrupted()) });
    expect(await runTurn({ model: scriptedModel([says('ok')]), history })).toEqual({
      type: 'interrupted',
    });
    expect(history.status).toBe('waiting');
  },
);

test('an interrupted summary request is not repeated', async () => {
  const controller = new AbortController();
  const driven = drivenStream();
  const history = asked();
  await runTurn({ model: scriptedModel([says('hi')]), history });
  history.requestCompaction();
  const turn = runTurn({
    model: scriptedModel([driven.answer]),
    history,
    signal: controller.signal,
  });
  await driven.opened;
  controller.abort(new Interrupted());
  await turn;
  expect(await runTurn({ model: scriptedModel([]), history })).toEqual({ type: 'finished' });
});
