import type { LocalTool } from '@chatd/loop';
import { expect, test } from 'vitest';
import { redactingTool } from './redacting-tool.ts';

const redacting = (run: LocalTool['run']): LocalTool =>
  redactingTool({ name: 'execute', input: {}, idempotent: true, run }, (text) =>
    text.replaceAll('sk-1', '[redacted]'),
  );
const published: string[] = [];
const context = {
  callId: 'call_0',
  signal: new AbortController().signal,
  publish: (text: string) => void published.push(text),
};

test('a redacted tool gets the whole identity of its call', async () => {
  const tool = redacting((_, { callId, calledAt }) => `${callId} at ${calledAt ?? 'no time'}`);
  expect(await tool.run({}, { ...context, calledAt: '2026-01-01' })).toBe('call_0 at 2026-01-01');
  expect(await tool.run({}, { ...context, calledAt: '2026-01-02' })).toBe('call_0 at 2026-01-02');
});

test('secrets are removed from results, live output, and errors', async () => {
  const tool = redacting((args, call) => {
    call.publish('live sk-1');
    if (args === 'fail') throw new Error('bad sk-1');
    return { output: ['sk-1', 1] };
  });
  expect(await tool.run({}, context)).toEqual({ output: ['[redacted]', 1] });
  await expect(tool.run('fail', context)).rejects.toThrow('bad [redacted]');
  expect(published).toEqual(['live [redacted]', 'live [redacted]']);
});
