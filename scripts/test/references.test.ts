import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { REFERENCES } from '../reference/references.ts';

test.each(REFERENCES)('$file is up to date (if not, run npm run reference)', ({ file, write }) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toBe(`${write()}\n`);
});
