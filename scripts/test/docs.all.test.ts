import { test } from 'vitest';
import { ROOT } from '../checks.ts';
import { reasonNotRun } from '../docs/page.ts';
import { readPages } from '../docs/pages.ts';
import { runPage } from '../docs/run-page.ts';

const pages = readPages(ROOT).filter((page) =>
  page.blocks.some(
    (block) =>
      (block.language === 'sh' && reasonNotRun(page, block) === undefined) ||
      (block.notes.has('run') && page.notRun === undefined),
  ),
);

test.each(pages.map((page) => [page.file, page] as const))(
  'the commands of %s have the documented results',
  { timeout: 3_600_000 },
  async (_file, page) => runPage(page),
);
