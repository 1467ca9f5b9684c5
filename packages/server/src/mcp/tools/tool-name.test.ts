import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolNames } from './tool-name.ts';

test('a valid name is the server, two underscores, and the tool', () => {
  expect(toolNames('github', ['search_issues']).get('search_issues')).toBe('github__search_issues');
});

test('invalid characters are replaced; if two names become equal, the valid one is kept', () => {
  const names = toolNames('s', ['a.b', 'a_b', 'c.d']);
  expect(names.get('a_b')).toBe('s__a_b');
  expect(names.get('a.b')).toMatch(/^s__a_b_[0-9a-f]{8}$/);
  expect(names.get('c.d')).toBe('s__c_d');
});

test('a long name is truncated, and stays unique and stable', () => {
  const [one, other] = ['x'.repeat(100), `${'x'.repeat(99)}y`];
  const names = toolNames('server', [one, other]);
  expect(names.get(one)).toHaveLength(64);
  expect(names.get(one)).not.toBe(names.get(other));
  expect(toolNames('server', [one]).get(one)).toBe(names.get(one));
});

test('all names of a server are valid and unique', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 })), (tools) => {
      const names = [...toolNames('my-server', tools).values()];
      expect(names).toHaveLength(tools.length);
      expect(new Set(names).size).toBe(tools.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    }),
  );
});
