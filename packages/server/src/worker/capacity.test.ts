import { expect, test } from 'vitest';
import type { RunnableChat } from '../store/queries/runs/capacity.ts';
import { type CapacityLimits, chooseWithin, type Served } from './capacity.ts';

const NONE: CapacityLimits = { here: 100, everywhere: null, perUser: null };
const chat = (id: string, owner_id = 'ann', interrupting = false): RunnableChat => ({
  id,
  owner_id,
  interrupting,
  queued_for_capacity: false,
});
const choose = (
  limits: Partial<CapacityLimits>,
  runnable: RunnableChat[],
  running: Record<string, number> = {},
) => chooseWithin({ ...NONE, ...limits }, runnable, new Map(Object.entries(running)));
const chosen = (...args: Parameters<typeof choose>) => choose(...args).chosen.map(({ id }) => id);

test('without limits all chats run, in their order', () => {
  expect(chosen({}, [chat('a'), chat('b')])).toEqual(['a', 'b']);
});

test('a process takes no more than its capacity', () => {
  expect(chosen({ here: 1 }, [chat('a'), chat('b')])).toEqual(['a']);
  expect(chosen({ here: 0 }, [chat('a')])).toEqual([]);
});

test('chats that run elsewhere count for the deployment', () => {
  expect(chosen({ everywhere: 3 }, [chat('a'), chat('b')], { ben: 2 })).toEqual(['a']);
});

test('a user at the limit waits, and others go ahead', () => {
  const waiting = [chat('a'), chat('b'), chat('c', 'ben')];
  expect(chosen({ perUser: 2 }, waiting, { ann: 1 })).toEqual(['c', 'a']);
});

test('an interrupting chat never waits for capacity', () => {
  expect(chosen({ everywhere: 1 }, [chat('a', 'ann', true)], { ben: 5 })).toEqual(['a']);
  expect(chosen({ here: 1 }, [chat('a'), chat('b', 'ben', true)])).toEqual(['b']);
});

test('when capacity is short, users take turns', () => {
  const waiting = [
    ...['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => chat(id)),
    chat('b1', 'ben'),
    chat('b2', 'ben'),
    chat('e1', 'eve'),
  ];
  expect(chosen({ here: 5 }, waiting)).toEqual(['a1', 'b1', 'e1', 'a2', 'b2']);
});

test('a user with running chats waits for users with fewer', () => {
  const waiting = [chat('a1'), chat('a2'), chat('b1', 'ben'), chat('b2', 'ben'), chat('b3', 'ben')];
  expect(chosen({ here: 3 }, waiting, { ann: 2 })).toEqual(['b1', 'b2', 'a1']);
});

test('capacity is short only when a chat waits that its user may run', () => {
  expect(choose({ here: 1 }, [chat('a'), chat('b')]).isShort).toBe(true);
  expect(choose({ everywhere: 1 }, [chat('a')], { ben: 1 }).isShort).toBe(true);
  expect(choose({ perUser: 1 }, [chat('a'), chat('b')]).isShort).toBe(false);
  expect(choose({}, [chat('a'), chat('b')]).isShort).toBe(false);
});

test('users take turns over time, although the oldest chats all belong to one user', () => {
  let waiting = [
    ...['a1', 'a2', 'a3', 'a4'].map((id) => chat(id)),
    ...['b1', 'b2'].map((id) => chat(id, 'ben')),
    chat('e1', 'eve'),
  ];
  let served: Served = new Map();
  const order: string[] = [];
  // There is room for one chat, which has ended before the next choice.
  while (waiting.length > 0) {
    const choice = chooseWithin({ ...NONE, here: 1 }, waiting, new Map(), served);
    order.push(...choice.chosen.map(({ id }) => id));
    waiting = waiting.filter((one) => !choice.chosen.includes(one));
    served = choice.served;
  }
  expect(order).toEqual(['a1', 'b1', 'e1', 'a2', 'b2', 'a3', 'a4']);
  expect(served.size).toBe(0);
});
