import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveTable, stateDiagram, withStates } from './state-diagram.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/concepts.md'), 'utf8');

test('the states in the docs are those of the table of moves (else: npm run docs:states)', () => {
  expect(page).toBe(withStates(page));
});

test('a status that a command leaves alone is no arrow, and a refusal has its code', () => {
  expect(stateDiagram()).toContain('    running --> waiting: commit step, finish turn\n');
  expect(stateDiagram()).not.toContain('running --> running');
  const interrupt = moveTable()
    .split('\n')
    .find((line) => line.startsWith('| `interrupt` |'));
  expect(interrupt).toBe(
    '| `interrupt` | `not_running` | interrupting | stays | running | `not_running` | `chat_archived` |',
  );
});

test('a page without a diagram is not quietly left as it is', () => {
  expect(() => withStates('# Concepts\n')).toThrow('to be replaced');
});
