import { expect, test } from 'vitest';
import type { ChatRow } from '../chat/row.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { fixedToolbox, openAll, type Toolbox } from './toolbox.ts';

const chat = {} as ChatRow;
const named = (name: string) => ({ name, input: {}, answeredBy: 'client' as const });
const broken = (error: Error): Toolbox => ({
  ...fixedToolbox([]),
  async open() {
    throw error;
  },
});

test('tools of all boxes are there, in their order', async () => {
  const boxes = [fixedToolbox([named('a')]), fixedToolbox([named('b')])];
  const { tools } = await openAll(boxes, chat, () => undefined);
  expect(tools).toMatchObject([{ name: 'a' }, { name: 'b' }]);
});

test('a box that cannot be opened is missing, and the model is told', async () => {
  const failures: unknown[] = [];
  const boxes = [broken(new Error('no sandbox')), fixedToolbox([named('b')])];
  const { tools, system } = await openAll(boxes, chat, (error) => failures.push(error));
  expect(tools).toMatchObject([{ name: 'b' }]);
  expect(system?.join()).toContain('are not available in this turn');
  expect(failures).toMatchObject([{ message: 'no sandbox' }]);
});

test('while the database is away nothing is missing: it is asked again', async () => {
  const boxes = [broken(new DatabaseUnavailable('away'))];
  await expect(openAll(boxes, chat, () => undefined)).rejects.toThrow('away');
});
