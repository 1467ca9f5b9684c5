import { expect, test } from 'vitest';
import { aChat } from '../../../test/support/chat.ts';
import { activityOf } from './activity.ts';

const doing = (over: object) => activityOf(aChat({ id: 'a', status: 'running', ...over }));

test('a running chat shows its tool call, or that it thinks', () => {
  expect(doing({})).toBe('Thinking');
  expect(doing({ activity: { tool_name: 'execute', detail: 'npm test' } })).toBe(
    'Running npm test',
  );
  expect(doing({ activity: { tool_name: 'list_files' } })).toBe('Listing');
  expect(doing({ activity: { tool_name: 'spawn_agent', detail: 'Look around' } })).toBe(
    'Starting a subagent',
  );
  expect(doing({ activity: { tool_name: 'door' } })).toBe('Calling door');
});

test('a chat that needs input shows what it waits for, an idle one nothing', () => {
  const activity = { tool_name: 'execute', detail: 'rm x', awaits: 'approval' };
  expect(doing({ status: 'requires_action', activity })).toBe('Waiting for approval');
  expect(doing({ queued_for_capacity: true })).toBe('Waiting for capacity');
  expect(doing({ status: 'waiting' })).toBeUndefined();
});
