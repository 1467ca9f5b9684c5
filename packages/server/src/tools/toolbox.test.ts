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

test('the tools of all toolboxes are available, in order', async () => {
  const boxes = [fixedToolbox([named('a')]), fixedToolbox([named('b')])];
  const { tools } = await openAll(boxes, chat, () => undefined);
  expect(tools).toMatchObject([{ name: 'a' }, { name: 'b' }]);
});

test('a toolbox that cannot be opened is left out, and the model is told', async () => {
  const failures: unknown[] = [];
  const boxes = [broken(new Error('no sandbox')), fixedToolbox([named('b')])];
  const { tools, system } = await openAll(boxes, chat, (error) => failures.push(error));
  expect(tools).toMatchObject([{ name: 'b' }]);
  expect(system?.join()).toContain('are not available in this turn');
  expect(failures).toMatchObject([{ message: 'no sandbox' }]);
});

test('if the database is unavailable, opening fails instead of leaving tools out', async () => {
  const boxes = [broken(new DatabaseUnavailable('away'))];
  await expect(openAll(boxes, chat, () => undefined)).rejects.toThrow('away');
});
