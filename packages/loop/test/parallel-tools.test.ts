import { expect, test } from 'vitest';
import { Interrupted, INTERRUPTED_RESULT, runTurn, ShuttingDown } from '@chatd/loop';
import { asked, partsOf, Watch } from './support/chat.ts';
import { called, calls, says, scriptedModel } from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

const settle = () => new Promise(setImmediate);
const ids = (count: number) => Array.from({ length: count }, (_, index) => `call_${index}`);
const response = (count: number) => calls(...ids(count).map((id) => called('work', { id }, id)));

/** A tool whose calls run until the test ends them, or until the signal aborts. */
function held() {
  const running = new Map<string, () => void>();
  const work = counted('work', ({ id }, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    running.set(String(id), () => {
      running.delete(String(id));
      resolve(`done ${String(id)}`);
    });
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    return promise;
  });
  return { work, running };
}

test('300 calls run 16 at a time, and their results keep the order of the calls', async () => {
  const { work, running } = held();
  const watch = new Watch();
  const history = asked();
  const model = scriptedModel([response(300), says('ok')]);
  const turn = runTurn({ model, history, tools: [work], publish: watch.publish });
  let left = 300;
  await expect.poll(() => running.size).toBe(16);
  while (left > 0) {
    expect(running.size).toBe(Math.min(16, left));
    // The newest call ends first, so calls do not end in the order in which they started.
    [...running.values()].at(-1)?.();
    left -= 1;
    await settle();
  }
  await turn;
  expect(work.runs).toEqual(ids(300).map((id) => ({ id })));
  const results = partsOf(history.messages, 'tool-result');
  expect(results.map((part) => part.tool_call_id)).toEqual(ids(300));
  expect(results.map((part) => part.result)).toEqual(ids(300).map((id) => `done ${id}`));
  const shown = watch.parts.filter((part) => part.type === 'tool-result');
  expect(shown.map((part) => part.tool_call_id)).toEqual(ids(300));
});

test('an interrupt answers waiting calls without starting them', async () => {
  const { work, running } = held();
  const history = asked();
  const controller = new AbortController();
  const turn = runTurn({
    model: scriptedModel([response(4)]),
    history,
    tools: [work],
    limits: { max_parallel_tools: 2 },
    signal: controller.signal,
  });
  await expect.poll(() => running.size).toBe(2);
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(work.runs).toEqual([{ id: 'call_0' }, { id: 'call_1' }]);
  const results = partsOf(history.messages, 'tool-result');
  expect(
    results.map(({ tool_call_id, result, interrupted }) => [tool_call_id, result, interrupted]),
  ).toEqual([
    ['call_0', 'stopped', undefined],
    ['call_1', 'stopped', undefined],
    ['call_2', INTERRUPTED_RESULT, true],
    ['call_3', INTERRUPTED_RESULT, true],
  ]);
});

test('a refused call keeps its reason if an interrupt arrives while other calls wait', async () => {
  const { work, running } = held();
  const forbidden = counted('forbidden');
  const history = asked();
  const controller = new AbortController();
  const turn = runTurn({
    model: scriptedModel([
      calls(
        called('work', { id: 'a' }, 'a'),
        called('work', { id: 'b' }, 'b'),
        called('forbidden', {}, 'c'),
      ),
    ]),
    history,
    tools: [work, forbidden],
    approval: ({ tool_name }) => (tool_name === 'forbidden' ? 'deny' : 'allow'),
    limits: { max_parallel_tools: 1 },
    signal: controller.signal,
  });
  await expect.poll(() => running.size).toBe(1);
  controller.abort(new Interrupted());
  await turn;
  expect(partsOf(history.messages, 'tool-result').at(-1)).toMatchObject({
    tool_call_id: 'c',
    result: expect.stringContaining('not allowed'),
  });
});

test('a shutdown leaves waiting calls open, and another process runs them', async () => {
  const { work, running } = held();
  const history = asked();
  const controller = new AbortController();
  const model = scriptedModel([response(3), says('ok')]);
  const turn = runTurn({
    model,
    history,
    tools: [work],
    limits: { max_parallel_tools: 1 },
    signal: controller.signal,
  });
  await expect.poll(() => running.size).toBe(1);
  running.get('call_0')?.();
  await expect.poll(() => running.has('call_1')).toBe(true);
  controller.abort(new ShuttingDown());
  await expect(turn).rejects.toBeInstanceOf(ShuttingDown);
  expect(work.runs).toHaveLength(2);
  expect(partsOf(history.messages, 'tool-result').map((part) => part.tool_call_id)).toEqual([
    'call_0',
  ]);

  history.takeOver();
  const again = counted('work', () => 'again');
  await runTurn({ model, history, tools: [again] });
  expect(again.runs).toEqual([{ id: 'call_1' }, { id: 'call_2' }]);
});
