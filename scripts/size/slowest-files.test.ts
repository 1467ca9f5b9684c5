import { expect, test } from 'vitest';
import { slowestFiles, stages } from './slowest-files.ts';

const OUTPUT = `
ok     dead code (2.2 s)
FAILED tests (846.9 s)
 \u001B[32m✓\u001B[39m \u001B[42m server \u001B[49m packages/server/test/a.test.ts \u001B[2m(\u001B[22m3 tests\u001B[2m)\u001B[22m 1200\u001B[2mms\u001B[22m
   ✓ a test (2)
 ❯  web  packages/web/test/b.test.tsx (2 tests | 1 failed) 9000ms
 ✓  loop  packages/loop/src/c.test.ts (5 tests) 80ms
`;

test('the slowest files of a run, failed ones included', () => {
  expect(slowestFiles(OUTPUT, 2)).toEqual([
    { path: 'packages/web/test/b.test.tsx', seconds: 9 },
    { path: 'packages/server/test/a.test.ts', seconds: 1.2 },
  ]);
});

test('the stages of a run, failed ones included', () => {
  expect(stages(OUTPUT)).toEqual([
    { name: 'dead code', seconds: 2.2 },
    { name: 'tests', seconds: 846.9 },
  ]);
});
