import { expect, test } from 'vitest';
import { isAllowed } from './patterns.ts';

const ALL = { tool_allow: null, tool_deny: [] };

test.each([
  [{}, 'anything', true],
  [{ tool_allow: [] }, 'anything', false],
  [{ tool_allow: ['read_*'] }, 'read_file', true],
  [{ tool_allow: ['read_*'] }, 'unread_file', false],
  [{ tool_allow: ['get_?'] }, 'get_a', true],
  [{ tool_allow: ['get_?'] }, 'get_ab', false],
  [{ tool_allow: ['a.b'] }, 'axb', false],
  [{ tool_allow: ['*'], tool_deny: ['*delete*'] }, 'user_delete_all', false],
  [{ tool_deny: ['x'] }, 'xx', true],
])('%o: %s is allowed: %s', (patterns, name, allowed) => {
  expect(isAllowed(name, { ...ALL, ...patterns })).toBe(allowed);
});

test('a pattern with many wildcards matches without exponential backtracking', () => {
  const tool_allow = [`${'*a'.repeat(20)}*b`, `${'*'.repeat(100)}z`];
  expect(isAllowed('a'.repeat(60), { tool_allow, tool_deny: [] })).toBe(false);
});
