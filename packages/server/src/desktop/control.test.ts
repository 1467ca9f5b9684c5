import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { Control, ControlledTooLong } from './control.ts';

const ANN = { name: 'ann' };
const BOB = { name: 'bob' };
const NEVER = new AbortController().signal;

const world = () => {
  const clock = new ManualClock();
  const said: number[] = [];
  const waiting = { signal: NEVER, onWaiting: (ms: number) => said.push(ms) };
  return { clock, said, waiting, control: new Control(clock) };
};
const quiet = async () => {
  for (let count = 0; count < 20; count++) await Promise.resolve();
};

test('an agent acts at once while nobody has control', async () => {
  const { control, waiting, said } = world();
  expect(await control.act(waiting, () => Promise.resolve('done'))).toBe('done');
  expect(said).toEqual([]);
});

test('while a person has control the agent waits, says so, and then goes on', async () => {
  const { control, waiting, said, clock } = world();
  control.take(ANN);
  let done = false;
  const acting = control.act(waiting, async () => {
    done = true;
  });
  await quiet();
  expect(control.agentWaits).toBe(true);
  clock.advance(10_000);
  expect(said).toEqual([0, 10_000]);
  expect(done).toBe(false);
  control.giveBack(ANN);
  await acting;
  expect(done).toBe(true);
  expect(control.agentWaits).toBe(false);
});

test('one person has control: whoever takes it takes it from the other, who cannot give it back any more', async () => {
  const { control, waiting } = world();
  control.take(ANN);
  control.take(BOB);
  expect(control.holder).toBe(BOB);
  let done = false;
  const acting = control.act(waiting, async () => {
    done = true;
  });
  control.giveBack(ANN);
  await quiet();
  expect(done).toBe(false);
  control.giveBack(BOB);
  await acting;
});

test('everybody who listens is told of every change, and of an agent that waits', async () => {
  const { control, waiting } = world();
  const seen: string[] = [];
  const stop = control.onChange(() =>
    seen.push(
      `${control.holder?.name ?? 'agent'}${control.agentWaits ? ', who is waited for' : ''}`,
    ),
  );
  control.take(ANN);
  const acting = control.act(waiting, () => Promise.resolve());
  await quiet();
  control.giveBack(ANN);
  await acting;
  stop();
  control.take(BOB);
  expect(seen).toEqual(['ann', 'ann, who is waited for', 'agent, who is waited for', 'agent']);
});

test('a wait ends when the turn is interrupted, and after a quarter of an hour', async () => {
  const { control, waiting, clock } = world();
  control.take(ANN);
  const stop = new AbortController();
  const acting = control.act({ ...waiting, signal: stop.signal }, () => Promise.resolve('acted'));
  await quiet();
  stop.abort(new Error('interrupted'));
  await expect(acting).rejects.toThrow('interrupted');

  const late = control.act(waiting, () => Promise.resolve('acted'));
  await quiet();
  for (let step = 0; step < 90; step++) clock.advance(10_000);
  await expect(late).rejects.toThrow(ControlledTooLong);
});

test('actions of several agents do not get mixed up', async () => {
  const { control, waiting } = world();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = control.act(waiting, async () => {
    order.push('first begins');
    await gate.promise;
    order.push('first ends');
  });
  const second = control.act(waiting, async () => {
    order.push('second');
  });
  await quiet();
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});
