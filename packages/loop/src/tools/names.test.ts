import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { legalName, toolNames } from './names.ts';
import { tool } from './tool.ts';
import { z } from 'zod';

const named = (name: string) =>
  tool({ name, input: z.object({}), idempotent: true, run: () => null });

test('dots of MCP tool names are replaced and mapped back', () => {
  const names = toolNames([named('github.search')]);
  expect(names.toProvider('github.search')).toBe('github_search');
  expect(names.fromProvider('github_search')).toBe('github.search');
});

test('a legal name is unchanged even if another name maps to it', () => {
  const names = toolNames([named('a.b'), named('a_b')]);
  expect(names.toProvider('a_b')).toBe('a_b');
  expect(names.fromProvider(names.toProvider('a.b'))).toBe('a.b');
});

test('the name of a removed tool is still made legal', () => {
  expect(toolNames([]).toProvider('9 gone!')).toBe('_9_gone_');
});

test('every set of names maps to legal, distinct names and back', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 }), { maxLength: 12 }),
      (all) => {
        const names = toolNames(all.map(named));
        const legal = all.map((n) => names.toProvider(n));
        expect(new Set(legal).size).toBe(all.length);
        for (const [i, l] of legal.entries()) {
          expect(l).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
          expect(names.fromProvider(l)).toBe(all[i]);
        }
        expect(legalName(legalName('x y'))).toBe(legalName('x y'));
      },
    ),
  );
});
