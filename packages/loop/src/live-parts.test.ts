import { expect, test } from 'vitest';
import { type LiveEvent, LiveParts } from './live-parts.ts';

const text = (text: string): LiveEvent => ({
  type: 'part',
  role: 'assistant',
  part: { type: 'text', text },
});
const args = (id: string, args_delta: string): LiveEvent => ({
  type: 'part',
  role: 'assistant',
  part: { type: 'tool-call', tool_call_id: id, tool_name: 't', args_delta },
});

const output = (id: string, result_delta: string): LiveEvent => ({
  type: 'part',
  role: 'tool',
  part: { type: 'tool-result', tool_call_id: id, tool_name: 't', result_delta },
});

async function all(live: LiveParts): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of live) events.push(event);
  return events;
}

test('a slow reader gets adjacent deltas merged, and nothing else', async () => {
  const live = new LiveParts();
  const reset: LiveEvent = { type: 'reset' };
  for (const event of [
    text('a'),
    text('b'),
    args('1', '{'),
    args('1', '}'),
    args('2', '{'),
    reset,
    text('c'),
  ])
    live.publish(event);
  live.close();
  expect(await all(live)).toEqual([text('ab'), args('1', '{}'), args('2', '{'), reset, text('c')]);
});

test('the output of a running tool is merged, but not with the output of another tool', async () => {
  const live = new LiveParts();
  for (const event of [output('1', 'a'), output('1', 'b'), output('2', 'c')]) live.publish(event);
  live.close();
  expect(await all(live)).toEqual([output('1', 'ab'), output('2', 'c')]);
});

test('the times of reasoning survive merging', async () => {
  const live = new LiveParts();
  const reasoning = (part: object) =>
    live.publish({
      type: 'part',
      role: 'assistant',
      part: { type: 'reasoning', text: '', ...part },
    });
  reasoning({ created_at: '1' });
  reasoning({ text: 'hm' });
  reasoning({ completed_at: '2' });
  reasoning({ created_at: '3' });
  live.close();
  expect((await all(live)).map((e) => e.type === 'part' && e.part)).toEqual([
    { type: 'reasoning', text: 'hm', created_at: '1', completed_at: '2' },
    { type: 'reasoning', text: '', created_at: '3' },
  ]);
});

test('a waiting reader gets each event as it arrives', async () => {
  const live = new LiveParts();
  const events = all(live);
  live.publish(text('a'));
  await new Promise(setImmediate);
  live.publish(text('b'));
  live.close();
  expect(await events).toEqual([text('a'), text('b')]);
});

test('no events are kept after the reader has stopped', async () => {
  const live = new LiveParts();
  live.publish(text('a'));
  for await (const event of live) {
    expect(event).toEqual(text('a'));
    break;
  }
  live.publish(text('b'));
  live.close();
  expect(await all(live)).toEqual([]);
});
