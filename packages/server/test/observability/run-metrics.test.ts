import { answer, fault, gate, reasoning, text as says, toolCall } from '@chatd/testing';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RunMetrics } from '../../src/observability/run-metrics.ts';
import { fixedToolbox } from '../../src/tools/toolbox.ts';
import { LostLease } from '../../src/worker/stop-reasons.ts';
import { eventually } from '@chatd/test-server/eventually';
import { add, callsAdd, openWorld } from './world.ts';

const world = await openWorld();
const { provider } = world;

function metrics() {
  const registry = new Registry();
  const observer = new RunMetrics(registry);
  /** Samples in text format, without buckets and sums. */
  const samples = async (name: string) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(name) && !/_(bucket|sum)\b/.test(line))
      .map((line) => line.slice(name.length));
  /** The chat has its final status a moment before its worker reports the end of the turn. */
  const turnEnded = () =>
    eventually(async () => expect(await samples('chatd_turns_total')).toHaveLength(1));
  return { registry, observer, samples, turnEnded };
}

test('a turn with a tool is counted: its steps, calls, tokens, and outcome', async () => {
  const { observer, samples, turnEnded } = metrics();
  await world.start([observer]);
  provider.answer(
    answer([toolCall('add', { a: 1, b: 2 })], {
      usage: { input: 100, output: 20, cacheRead: 40, cacheWrite: 10 },
    }),
    answer([reasoning('Hm.'), says('It is 3.')], { usage: { input: 200, output: 30 } }),
  );
  await world.run('What is 1 + 2?');
  await turnEnded();
  expect(await samples('chatd_turns_total')).toEqual(['{outcome="finished"} 1']);
  expect(await samples('chatd_steps_total')).toEqual([' 2']);
  expect(await samples('chatd_tool_calls_total')).toEqual(['{tool="add"} 1']);
  expect(await samples('chatd_tool_errors_total')).toEqual([]);
  expect(await samples('chatd_model_call_duration_seconds')).toEqual([
    '_count{provider="anthropic",purpose="turn",outcome="completed"} 2',
  ]);
  expect(await samples('chatd_time_to_first_token_seconds')).toEqual([
    '_count{provider="anthropic"} 2',
  ]);
  expect(await samples('chatd_tokens_total')).toEqual(
    expect.arrayContaining([
      '{provider="anthropic",class="output"} 50',
      '{provider="anthropic",class="cache_read"} 40',
      '{provider="anthropic",class="cache_creation"} 10',
    ]),
  );
  expect(await samples('chatd_acquisition_wait_seconds')).toEqual(['_count 1']);
});

test('retries are counted by kind; a tool that throws counts as an error', async () => {
  const { observer, samples, turnEnded } = metrics();
  await world.start([observer]);
  provider.answer(fault.status(529), callsAdd(-1), answer([says('No.')]));
  await world.run('What is -1 + 2?');
  await turnEnded();
  expect(await samples('chatd_retries_total')).toEqual([
    '{provider="anthropic",kind="overloaded"} 1',
  ]);
  expect(await samples('chatd_tool_errors_total')).toEqual(['{tool="add"} 1']);
  expect(await samples('chatd_model_call_duration_seconds')).toContain(
    '_count{provider="anthropic",purpose="turn",outcome="failed"} 1',
  );
});

test('failed turns are counted by kind', async () => {
  const { observer, samples, turnEnded } = metrics();
  await world.start([observer]);
  provider.answer(fault.status(401));
  await world.run('Hi', 'error');
  await turnEnded();
  expect(await samples('chatd_turns_total')).toEqual(['{outcome="failed"} 1']);
  expect(await samples('chatd_turn_failures_total')).toEqual(['{kind="auth"} 1']);
});

test('no label contains a name that a user, a client, or a model chose', async () => {
  const { observer, registry, samples, turnEnded } = metrics();
  await world.start([observer]);
  const dynamic_tools = [
    { name: 'client_private', description: '', input_schema: { type: 'object' } },
  ];
  provider.answer(
    answer([toolCall('made_up', {}, { id: 'toolu_1' })]),
    answer([toolCall('client_private', {}, { id: 'toolu_2' })]),
  );
  await world.run('Hi', 'requires_action', { dynamic_tools });
  await turnEnded();
  expect((await samples('chatd_tool_calls_total')).toSorted()).toEqual([
    '{tool="dynamic"} 1',
    '{tool="unknown"} 1',
  ]);
  expect(await samples('chatd_tool_errors_total')).toEqual(['{tool="unknown"} 1']);
  expect(await samples('chatd_turns_total')).toEqual(['{outcome="requires_action"} 1']);
  expect(await registry.metrics()).not.toMatch(/made_up|client_private/);
});

test('all tools of MCP servers share one label', async () => {
  const { observer, samples, turnEnded } = metrics();
  const ofServer = { ...add, name: 'private-server__add' };
  await world.start([observer], { toolboxes: [fixedToolbox([ofServer])] });
  provider.answer(answer([toolCall(ofServer.name, { a: 1, b: 2 })]), answer([says('It is 3.')]));
  await world.run('What is 1 + 2?');
  await turnEnded();
  expect(await samples('chatd_tool_calls_total')).toEqual(['{tool="mcp"} 1']);
});

test('a lost lease is counted, and its turn has the outcome lost', async () => {
  const { observer, samples } = metrics();
  observer.leaseLost();
  const turn = observer.turn(await world.store.create());
  turn.ended?.(new LostLease());
  expect(await samples('chatd_lease_losses_total')).toEqual([' 1']);
  expect(await samples('chatd_turns_total')).toEqual(['{outcome="lost"} 1']);
});

test('a turn that a stopping worker hands over has the outcome handed_over', async () => {
  const { observer, samples } = metrics();
  const replica = await world.start([observer]);
  const pause = gate();
  provider.answer(answer([says(['It is', pause, ' 3.'])]));
  await world.run('What is 1 + 2?', 'running');
  await pause.reached;
  await replica.stop();
  pause.release();
  expect(await samples('chatd_turns_total')).toEqual(['{outcome="handed_over"} 1']);
  expect(await samples('chatd_lease_losses_total')).toEqual([' 0']);
});

const fail = () => {
  throw new Error('broken');
};

test('an observer that throws affects neither the turn nor other observers', async () => {
  const { observer, samples, turnEnded } = metrics();
  const broken = { call: () => ({ part: fail, ended: fail }), tool: fail, committed: fail };
  await world.start([{ turn: () => ({ ...broken, ended: fail }), acquired: fail }, observer]);
  provider.answer(callsAdd(), answer([says('It is 3.')]));
  const id = await world.run('What is 1 + 2?');
  await turnEnded();
  expect((await world.store.story(id)).at(-1)).toBe('assistant: It is 3.');
  expect(await samples('chatd_steps_total')).toEqual([' 2']);
});
