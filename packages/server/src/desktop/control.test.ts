import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { DesktopControl, type DesktopMember } from '../machine/local/desktop-control.ts';
import { Control, ControlledTooLong } from './control.ts';

const NEVER = new AbortController().signal;

/** A desktop with one connection for agents. */
const world = () => {
  const clock = new ManualClock();
  const said: number[] = [];
  const waiting = { signal: NEVER, onWaiting: (ms: number) => said.push(ms) };
  const desktop = new DesktopControl({ width: 800, height: 600 });
  const agents = () => {
    const control = new Control(clock);
    const member: DesktopMember = { client: { kind: 'agent' }, onState: control.onState };
    desktop.join(member);
    const link = {
      take: () => desktop.take(member),
      giveBack: () => desktop.giveBack(member),
    };
    const act = <T>(action: () => Promise<T>, over = waiting) => control.act(link, over, action);
    return { act, member };
  };
  const person = (name: string, seen: string[] = []) => {
    const member: DesktopMember = {
      client: { kind: 'viewer', name },
      onState: (state, yours) =>
        seen.push(
          `${state.person ?? 'agent'}${state.agentWaits ? ', waited for' : ''}${yours ? ', mine' : ''}`,
        ),
    };
    desktop.join(member);
    return {
      seen,
      take: () => desktop.take(member),
      giveBack: () => desktop.giveBack(member),
      leave: () => desktop.leave(member),
    };
  };
  return { clock, said, waiting, desktop, agents, person, act: agents().act };
};
const quiet = async () => {
  for (let count = 0; count < 20; count++) await Promise.resolve();
};

test('an agent acts at once while no person has control', async () => {
  const { act, said } = world();
  expect(await act(() => Promise.resolve('done'))).toBe('done');
  expect(said).toEqual([]);
});

test('while a person has control, the agent waits, reports it, and then continues', async () => {
  const { act, person, desktop, said, clock } = world();
  const ann = person('ann');
  ann.take();
  let done = false;
  const acting = act(async () => {
    done = true;
  });
  await quiet();
  expect(desktop.state.agentWaits).toBe(true);
  clock.advance(10_000);
  expect(said).toEqual([0, 10_000]);
  expect(done).toBe(false);
  ann.giveBack();
  await acting;
  expect(done).toBe(true);
  expect(desktop.state.agentWaits).toBe(false);
});

test('a person takes control from another, who can no longer give it back', async () => {
  const { act, person, desktop } = world();
  const [ann, bob] = [person('ann'), person('bob')];
  ann.take();
  bob.take();
  expect(desktop.state).toMatchObject({ person: 'bob', viewers: 2 });
  let done = false;
  const acting = act(async () => {
    done = true;
  });
  ann.giveBack();
  await quiet();
  expect(done).toBe(false);
  bob.giveBack();
  await acting;
});

test('a person who leaves gives back control', async () => {
  const { act, person } = world();
  const ann = person('ann');
  ann.take();
  const acting = act(() => Promise.resolve('acted'));
  await quiet();
  ann.leave();
  expect(await acting).toBe('acted');
});

test('all viewers see every change of control, and that an agent waits', async () => {
  const { act, person } = world();
  const [ann, bob] = [person('ann'), person('bob')];
  bob.seen.length = 0;
  ann.take();
  const acting = act(() => Promise.resolve());
  await quiet();
  ann.giveBack();
  await acting;
  expect(bob.seen).toEqual(['ann', 'ann, waited for', 'agent', 'agent']);
});

test('a wait ends when the turn is interrupted, and after 15 minutes', async () => {
  const { act, waiting, person, clock } = world();
  person('ann').take();
  const stop = new AbortController();
  const acting = act(() => Promise.resolve('acted'), { ...waiting, signal: stop.signal });
  await quiet();
  stop.abort(new Error('interrupted'));
  await expect(acting).rejects.toThrow('interrupted');

  const late = act(() => Promise.resolve('acted'));
  await quiet();
  for (let step = 0; step < 90; step++) clock.advance(10_000);
  await expect(late).rejects.toThrow(ControlledTooLong);
});

test('actions of several agents do not overlap, on one replica or on two', async () => {
  const { agents } = world();
  const [here, there] = [agents(), agents()];
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = here.act(async () => {
    order.push('first begins');
    await gate.promise;
    order.push('first ends');
  });
  const second = here.act(async () => {
    order.push('second');
  });
  const third = there.act(async () => {
    order.push('third');
  });
  await quiet();
  expect(order).toEqual(['first begins']);
  gate.resolve();
  await Promise.all([first, second, third]);
  expect(order.slice(0, 2)).toEqual(['first begins', 'first ends']);
  expect(order.slice(2).toSorted()).toEqual(['second', 'third']);
});
