import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');

test('dates and numbers are formatted in one locale, by this folder', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter(
    (name) => !name.startsWith('format/'),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.filter((name) =>
    /\.toLocale(?:Date|Time)?String\(|\bIntl\.(?!Segmenter)/.test(
      readFileSync(join(SOURCES, name), 'utf8'),
    ),
  );
  expect(found).toEqual([]);
});
