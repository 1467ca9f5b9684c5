import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeProblem } from './node-version.ts';

test.each(['18.20.0', '20.20.2', '22.17.9'])('Node %s is refused', (version) => {
  expect(nodeProblem(version)).toBe(`chatd requires Node 22.18 or newer. This is Node ${version}.`);
});

test.each(['22.18.0', '23.0.0', '24.21.0'])('Node %s is accepted', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test('the entry point imports nothing else before it checks the version', () => {
  const main = readFileSync(join(import.meta.dirname, 'main.ts'), 'utf8');
  expect(main.match(/^import .*$/gm)).toEqual(["import { nodeProblem } from './node-version.ts';"]);
  const { engines } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  ) as { engines: { node: string } };
  expect(engines.node).toBe('>=22.18');
});
