import { expect, test } from 'vitest';
import type { RunnableChat } from '../store/queries/runnable-chats.ts';
import { type CapacityLimits, chooseWithin } from './capacity.ts';

const NONE: CapacityLimits = { here: 100, everywhere: null, perUser: null };
const chat = (id: string, owner_id = 'ann', interrupting = false): RunnableChat => ({
  id,
  owner_id,
  interrupting,
  queued_for_capacity: false,
});
const chosen = (
  limits: Partial<CapacityLimits>,
  runnable: RunnableChat[],
  running: Record<string, number> = {},
) =>
  chooseWithin({ ...NONE, ...limits }, runnable, new Map(Object.entries(running))).map((c) => c.id);

test('without limits all may run, in their order', () => {
  expect(chosen({}, [chat('a'), chat('b')])).toEqual(['a', 'b']);
});

test('a process takes no more than it has room for', () => {
  expect(chosen({ here: 1 }, [chat('a'), chat('b')])).toEqual(['a']);
  expect(chosen({ here: 0 }, [chat('a')])).toEqual([]);
});

test('what runs elsewhere counts for the deployment', () => {
  expect(chosen({ everywhere: 3 }, [chat('a'), chat('b')], { ben: 2 })).toEqual(['a']);
});

test('a user who has enough waits, and others go ahead', () => {
  const waiting = [chat('a'), chat('b'), chat('c', 'ben')];
  expect(chosen({ perUser: 2 }, waiting, { ann: 1 })).toEqual(['a', 'c']);
});

test('a chat that is to be stopped never waits for room', () => {
  expect(chosen({ everywhere: 1 }, [chat('a', 'ann', true)], { ben: 5 })).toEqual(['a']);
});
