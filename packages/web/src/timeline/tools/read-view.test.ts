import { expect, test } from 'vitest';
import { textArgument } from './read-view.ts';
import type { ToolView } from './tool-view.ts';

test('an argument that is shown cannot reorder the text around it', () => {
  const args = { command: 'echo \u202Efr mr\u202C ok' };
  const call = { type: 'tool-call' as const, tool_call_id: 'a', tool_name: 'execute', args };
  const view = { call } as Partial<ToolView> as ToolView;
  expect(textArgument(view, 'command')).toBe('echo ⟨U+202E⟩fr mr⟨U+202C⟩ ok');
});
