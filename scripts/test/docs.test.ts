import { expect, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { dataErrors } from '../docs/data-blocks.ts';
import { brokenLinks } from '../docs/links.ts';
import { markdownFiles, readPages } from '../docs/pages.ts';
import { programsOf } from '../docs/program.ts';
import { tally, tallyLine } from '../docs/tally.ts';
import { typeErrors } from '../docs/type-check.ts';

const pages = readPages(ROOT);

test('all notes in the docs are valid', () => {
  expect(pages.flatMap(({ faults }) => faults)).toEqual([]);
});

test('most command blocks run, and skipped ones have a reason', () => {
  const all = tally(pages);
  console.log(tallyLine(all));
  const guides = all.filter(({ page }) => !page.startsWith('docs/reference/'));
  const skipped = guides.filter(({ reason }) => reason !== undefined);
  expect(skipped.filter(({ reason }) => reason?.trim() === '')).toEqual([]);
  expect(skipped.length).toBeLessThan(guides.length / 2);
});

test('there are no broken links or anchors', () => {
  expect(brokenLinks(ROOT, markdownFiles(ROOT))).toEqual([]);
});

test('JSON and YAML blocks in the docs are valid', () => {
  expect(pages.flatMap(dataErrors)).toEqual([]);
});

test('TypeScript blocks in the docs compile', { timeout: 300_000 }, async () => {
  expect(await typeErrors(pages.flatMap(programsOf))).toEqual([]);
});
