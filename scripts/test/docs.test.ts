import { expect, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { dataErrors } from '../docs/data-blocks.ts';
import { brokenLinks } from '../docs/links.ts';
import { markdownFiles, readPages } from '../docs/pages.ts';
import { programsOf } from '../docs/program.ts';
import { typeErrors } from '../docs/type-check.ts';

const pages = readPages(ROOT);

test('every note to the runner of the docs is one that it knows, and every reason is given', () => {
  expect(pages.flatMap(({ faults }) => faults)).toEqual([]);
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
