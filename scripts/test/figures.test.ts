import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outdatedFigures, writeFigures } from '../../bench/report/figures.ts';
import { defineReport } from '../../bench/report/report.ts';
import { REPORTS } from '../../bench/report/reports.ts';
import { ROOT } from '../checks.ts';

const REPORT = defineReport<{ steps: number }>({
  result: 'speed',
  command: 'npm run speed -- --keep',
  render: ({ data }) => ({
    blocks: { speed: `| steps |\n| --- |\n| ${data.steps} |` },
    figures: { steps: String(data.steps) },
    charts: { 'speed.svg': `<svg>${data.steps}</svg>` },
  }),
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chatd-figures-'));
  mkdirSync(join(root, 'bench', 'results'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const keep = (steps: number) =>
  writeFileSync(join(root, 'bench/results/speed.json'), JSON.stringify({ data: { steps } }));
const page = (text: string) => writeFileSync(join(root, 'page.md'), text);
const outdated = () => outdatedFigures(root, [REPORT]).map(({ file }) => file);

test('all figures match the stored results (if not, run npm run figures)', () => {
  expect(outdatedFigures(ROOT, REPORTS).map(({ file }) => file)).toEqual([]);
});

test('blocks, inline figures and charts are written from the result and are then up to date', () => {
  keep(7);
  page(
    'Makes <!-- figure: speed.steps -->5<!-- /figure --> of <!-- figure: speed.steps --><!-- /figure -->.\n\n' +
      '<!-- figures: speed -->\nold\n\n```\nold\n```\n<!-- /figures -->\nEnd.\n',
  );
  expect(outdated()).toEqual(['docs/images/speed.svg', 'page.md']);
  writeFigures(root, outdatedFigures(root, [REPORT]));
  expect(readFileSync(join(root, 'page.md'), 'utf8')).toBe(
    'Makes <!-- figure: speed.steps -->7<!-- /figure --> of <!-- figure: speed.steps -->7<!-- /figure -->.\n\n' +
      '<!-- figures: speed -->\n\n| steps |\n| --- |\n| 7 |\n\n<!-- /figures -->\nEnd.\n',
  );
  expect(outdated()).toEqual([]);
  keep(8);
  expect(outdated()).toEqual(['docs/images/speed.svg', 'page.md']);
});

test('markers in code are ignored', () => {
  keep(7);
  writeFigures(root, outdatedFigures(root, [REPORT]));
  page(
    'As in `<!-- figure: speed.steps -->1<!-- /figure -->`:\n\n```\n<!-- figures: other -->\n```\n',
  );
  expect(outdated()).toEqual([]);
});

test.each([
  ['Makes <!-- figure: speed.steps -->1<!-- /figure -->', 'npm run speed -- --keep'],
  ['<!-- figures: speed -->\n<!-- /figures -->', 'npm run speed -- --keep'],
  ['<!-- figures: other -->\n<!-- /figures -->', 'nothing in bench/report renders'],
  ['<!-- figures: speed -->\nno end', 'has no closing marker'],
  ['- <!-- figure: speed.steps -->1<!-- /figure -->', 'starts a line'],
])('%j fails with the file name and the fix', (text, words) => {
  page(text);
  expect(outdated).toThrow(words);
  expect(outdated).toThrow('page.md');
});
