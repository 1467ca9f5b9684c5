import { answer, gate, text as says, toolCall } from '@chatd/testing';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { type OwnTool, startOwnServer } from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

const NOUNS = ['invoice', 'customer', 'order', 'parcel', 'ticket', 'report', 'user', 'contract'];
/** 300 tools, of which one is about weather. */
const many: OwnTool[] = [
  ...Array.from({ length: 299 }, (_, at) => ({
    name: `${NOUNS[at % NOUNS.length]}_action_${at}`,
    description: `Does number ${at} to one ${NOUNS[at % NOUNS.length]}.`,
  })),
  { name: 'getForecast', description: 'The weather of the coming days in a city.' },
];
const find = (query: string, id: string) => toolCall('find_tools', { query }, { id });

test('with too many tools, the model gets a search tool instead, and can call the tools it finds', async () => {
  const own = await startOwnServer(many, onTestFinished);
  const server = await world.add({ name: 'big', transport: 'http', url: own.url });
  await world.start();
  world.provider.answer(
    answer([find('weather forecast', 'toolu_1')]),
    answer([toolCall('big__getForecast', {}, { id: 'toolu_2' })]),
    answer([says('Sunny.')]),
  );
  const id = await world.ask([server]);
  await world.arrives(id);
  expect([-3, -2, -1].map((at) => world.offered(at))).toEqual([
    ['find_tools'],
    ['find_tools', 'big__getForecast'],
    ['find_tools', 'big__getForecast'],
  ]);
  expect(world.system()).toContain('300 additional tools');
  expect(world.system()).toContain('big (300)');
  const [found, called] = await world.results(id);
  expect(found?.result).toMatchObject({ tools: [{ name: 'big__getForecast' }] });
  expect(called).toMatchObject({ result: 'getForecast ran' });
  expect(own.calls).toEqual(['getForecast']);
});

test('found tools stay available in the next turn and in another process', async () => {
  const own = await startOwnServer(many, onTestFinished);
  const server = await world.add({ name: 'kept', transport: 'http', url: own.url });
  const first = await world.start();
  const pause = gate();
  world.provider.answer(
    answer([find('weather', 'toolu_1')]),
    answer([says(['Let me see', pause])]),
    answer([toolCall('kept__getForecast', {}, { id: 'toolu_2' })]),
    answer([says('Sunny.')]),
    answer([says('Still sunny.')]),
  );
  const id = await world.ask([server]);
  await pause.reached;
  // The process stops in the middle of the turn; another one continues.
  await first.replica.stop();
  await first.mcp.close();
  await world.start();
  await world.arrives(id);
  expect(await world.results(id)).toMatchObject([{}, { result: 'getForecast ran' }]);
  await world.say(id);
  await eventually(() => expect(world.provider.left).toBe(0));
  await world.arrives(id);
  expect(world.offered()).toEqual(['find_tools', 'kept__getForecast']);
});

test('a search without matches says so', async () => {
  const own = await startOwnServer(many, onTestFinished);
  const server = await world.add({ name: 'none', transport: 'http', url: own.url });
  await world.start();
  const [found] = await world.turn([server], [['find_tools', { query: 'xylophone' }]]);
  expect(found?.result).toMatchObject({ tools: [], note: expect.stringContaining('No matches') });
});

test('a few tools with long descriptions also exceed the budget', async () => {
  const long = { name: 'long', description: 'x'.repeat(1500) };
  const own = await startOwnServer([long, { name: 'short' }], onTestFinished);
  const server = await world.add({ name: 'wordy', transport: 'http', url: own.url });
  await world.start({ budget: { bytes: 1000 } });
  world.provider.answer(answer([says('Hm.')]));
  await world.arrives(await world.ask([server]));
  expect(world.offered()).toEqual(['find_tools']);
});
