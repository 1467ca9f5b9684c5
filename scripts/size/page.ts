import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import type { RevisionSize } from './revision-size.ts';
import type { stages, TestFile } from './slowest-files.ts';

export const PAGE = join(ROOT, 'docs', 'size.md');

const number = (value: number): string => value.toLocaleString('en-US');

export function sizeTables(before: RevisionSize, after: RevisionSize): string {
  const names = [...after.lines.keys()].sort();
  const none = { source: 0, tests: 0 };
  const rows = names.map((name) => {
    const [from, to] = [before.lines.get(name) ?? none, after.lines.get(name) ?? none];
    return row(`\`${name}\``, from.source, to.source, from.tests, to.tests);
  });
  return [
    `| lines | source, ${before.version} | source, ${after.version} | tests, ${before.version} | tests, ${after.version} |`,
    '| --- | --: | --: | --: | --: |',
    ...rows,
    row(
      '**total**',
      sum(before, 'source'),
      sum(after, 'source'),
      sum(before, 'tests'),
      sum(after, 'tests'),
    ),
    '',
    `| dependencies | ${before.version} | ${after.version} |`,
    '| --- | --: | --: |',
    row('direct, of published packages', before.direct, after.direct),
    row(
      'installed with chatd, binaries of all platforms included',
      before.installed,
      after.installed,
    ),
    row('in the lock file, with tools', before.locked, after.locked),
  ].join('\n');
}

export const slowestTable = (run: ReturnType<typeof stages>, files: readonly TestFile[]): string =>
  [
    `Duration: ${run.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ')}.`,
    '',
    '| test file | seconds |',
    '| --- | --: |',
    ...files.map(({ path, seconds }) => `| \`${path}\` | ${seconds.toFixed(0)} |`),
  ].join('\n');

/** Replaces the text between the markers of a section. */
export const replaceSection = (page: string, section: string, text: string): string =>
  page.replace(
    new RegExp(`(<!-- ${section} -->\\n)[^]*(<!-- /${section} -->)`),
    (_all, begin: string, end: string) => `${begin}\n${text}\n\n${end}`,
  );

const sum = ({ lines }: RevisionSize, kind: 'source' | 'tests'): number =>
  [...lines.values()].reduce((total, one) => total + one[kind], 0);

const row = (title: string, ...values: number[]): string =>
  `| ${[title, ...values.map(number)].join(' | ')} |`;
