import { expect, test } from 'vitest';
import { redactingTool } from './redacting-tool.ts';

const hide = (text: string) => text.replaceAll('sk-1', '[redacted]');

test('a redacted tool gets the whole identity of its call', async () => {
  const calls: unknown[] = [];
  const tool = redactingTool(
    {
      name: 'execute',
      input: {},
      idempotent: true,
      run(_, { callId, calledAt }) {
        calls.push([callId, calledAt]);
        return undefined;
      },
    },
    hide,
  );
  const { signal } = new AbortController();
  const publish = () => undefined;
  await tool.run({}, { callId: 'call_0', calledAt: '2026-01-01T00:00:00Z', signal, publish });
  await tool.run({}, { callId: 'call_0', calledAt: '2026-01-02T00:00:00Z', signal, publish });
  expect(calls).toEqual([
    ['call_0', '2026-01-01T00:00:00Z'],
    ['call_0', '2026-01-02T00:00:00Z'],
  ]);
});

test('secrets are removed from results, live output, and errors', async () => {
  const published: string[] = [];
  const tool = redactingTool(
    {
      name: 'execute',
      input: {},
      idempotent: true,
      run(args, { publish }) {
        publish('live sk-1');
        if (args === 'fail') throw new Error('bad sk-1');
        return { output: ['sk-1', 1] };
      },
    },
    hide,
  );
  const context = {
    callId: 'call_0',
    signal: new AbortController().signal,
    publish: (text: string) => void published.push(text),
  };
  expect(await tool.run({}, context)).toEqual({ output: ['[redacted]', 1] });
  await expect(tool.run('fail', context)).rejects.toThrow('bad [redacted]');
  expect(published).toEqual(['live [redacted]', 'live [redacted]']);
});
