import { expect, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { dataErrors } from '../docs/data-blocks.ts';
import { brokenLinks } from '../docs/links.ts';
import { markdownFiles, readPages } from '../docs/pages.ts';
import { programsOf } from '../docs/program.ts';
import { tally, tallyLine } from '../docs/tally.ts';
import { typeErrors } from '../docs/type-check.ts';

const pages = readPages(ROOT);

test('every note to the runner of the docs is one that it knows, and every reason is given', () => {
  expect(pages.flatMap(({ faults }) => faults)).toEqual([]);
});

test('most pages are run, and each block that is not says why', () => {
  const all = tally(pages);
  console.log(tallyLine(all));
  const guides = all.filter(({ page }) => !page.startsWith('docs/reference/'));
  const skipped = guides.filter(({ reason }) => reason !== undefined);
  expect(skipped.filter(({ reason }) => reason?.trim() === '')).toEqual([]);
  expect(skipped.length).toBeLessThan(guides.length / 2);
});

test('every link and anchor leads somewhere', () => {
  expect(brokenLinks(ROOT, markdownFiles(ROOT))).toEqual([]);
});

test('all JSON and YAML in the docs is JSON and YAML', () => {
  expect(pages.flatMap(dataErrors)).toEqual([]);
});

test('all TypeScript in the docs fits the packages as they are', { timeout: 300_000 }, async () => {
  expect(await typeErrors(pages.flatMap(programsOf))).toEqual([]);
});
