import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveTable, stateDiagram, withStates } from './state-diagram.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/concepts.md'), 'utf8');

test('the states in the docs match the move table (if not, run npm run docs:states)', () => {
  expect(page).toBe(withStates(page));
});

test('the diagram omits unchanged states, and the table shows refusal codes', () => {
  expect(stateDiagram()).toContain('    running --> waiting: commit step, finish turn\n');
  expect(stateDiagram()).not.toContain('running --> running');
  const interrupt = moveTable()
    .split('\n')
    .find((line) => line.startsWith('| `interrupt` |'));
  expect(interrupt).toBe(
    '| `interrupt` | `not_running` | interrupting | stays | running | `not_running` | `chat_archived` |',
  );
});

test('a page without a diagram is an error', () => {
  expect(() => withStates('# Concepts\n')).toThrow('has no match');
});
