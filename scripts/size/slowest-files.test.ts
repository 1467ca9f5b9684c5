import { expect, test } from 'vitest';
import { slowestFiles } from './slowest-files.ts';

const OUTPUT = `
 [32m✓[39m [30m[42m server [49m[39m packages/server/test/a.test.ts [2m([22m[2m3 tests[22m[2m)[22m[32m 1200[2mms[22m[39m
   [32m✓[39m a test [2m(2)[22m
 ❯  web  packages/web/test/b.test.tsx (2 tests | 1 failed) 9000ms
 ✓  loop  packages/loop/src/c.test.ts (5 tests) 80ms
`;

test('the slowest files of a run, failed ones included', () => {
  expect(slowestFiles(OUTPUT, 2)).toEqual([
    { path: 'packages/web/test/b.test.tsx', seconds: 9 },
    { path: 'packages/server/test/a.test.ts', seconds: 1.2 },
  ]);
});
