import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockStream, blocksOf } from './block-stream.ts';

const blocks = (stream: BlockStream) => stream.groups.get().flatMap((group) => group.blocks.get());
const texts = (text: string) => blocks(blocksOf(text)).map((block) => block.text.trim());

test('paragraphs, headings, lists, quotes, tables, formulas and code are separate blocks', () => {
  const text = [
    '# Title',
    'One\ntwo',
    '',
    '- a\n- b\n\n  more of b',
    '',
    'After the list\n> quoted',
    '',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '',
    '$$\nx^2\n$$',
    '```ts\nconst a = 1;\n\nconst b = 2;\n```',
    'End',
  ].join('\n');
  expect(texts(text)).toEqual([
    '# Title',
    'One\ntwo',
    '- a\n- b\n\n  more of b',
    'After the list',
    '> quoted',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '$$\nx^2\n$$',
    'const a = 1;\n\nconst b = 2;',
    'End',
  ]);
});

test('an underlined heading and a line that starts with a year stay whole', () => {
  expect(texts('Title\n---\nIt was in\n1999. Or later.')).toEqual([
    'Title\n---',
    'It was in\n1999. Or later.',
  ]);
});

test('a code block knows its language and all of its text', () => {
  const code = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
  const pieces = blocks(blocksOf(`\`\`\`python title="x"\n${code}\n\`\`\`\nAfter`));
  expect(pieces.length).toBeGreaterThan(5);
  const { fence } = pieces[0] ?? {};
  expect(fence?.language).toBe('python');
  expect(fence?.pieces.join('\n')).toBe(code);
  expect(pieces.slice(1, -1).every((piece) => piece.joined && piece.fence === fence)).toBe(true);
  expect(pieces.at(-1)?.text.trim()).toBe('After');
});

test('a code block may end with the text', () => {
  expect(texts('Look:\n```\nlet a = 1;\n```')).toEqual(['Look:', 'let a = 1;']);
});

test('a split table repeats its header', () => {
  const rows = Array.from({ length: 500 }, (_, row) => `| ${row} | some words |`).join('\n');
  const tables = blocks(blocksOf(`| n | text |\n|---|---|\n${rows}\n`));
  expect(tables.length).toBeGreaterThan(2);
  for (const table of tables) expect(table.text).toMatch(/^\| n \| text \|\n\|---\|---\|\n\| \d+ /);
});

const plain = (stream: BlockStream) =>
  blocks(stream).map(({ kind, text, fence }) => [kind, text, fence?.language]);
const words = (text: string) => text.replaceAll(/[\s`~]|js/g, '');

const line = fc.constantFrom(
  '',
  'Some words here',
  '# Heading',
  '- item',
  '  - nested',
  '2. second',
  '> quote',
  '```js',
  '```',
  '~~~~',
  '$$',
  '| a | b |',
  '|---|---|',
  '---',
  '    indented',
  '[label]: https://example.org',
  'x'.repeat(5000),
);

test('blocks do not depend on how the text arrives', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), cuts, (lines, sizes) => {
      const text = lines.join('\n');
      const grown = new BlockStream();
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        grown.append(text.slice(at, at + size));
        at += size;
      }
      grown.end();
      expect(plain(grown)).toEqual(plain(blocksOf(text)));
    }),
    { numRuns: 200 },
  );
});

test('no text is lost', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const tableHeaders = /(?:\| a \| b \||\|---\|---\|)\n\|---\|---\|(?:\n|$)/g;
      const all = lines.join('\n');
      // A split table repeats its header. Two blocks can look like one if they are joined.
      const shown = blocks(blocksOf(all)).map(({ text }) => text.replaceAll(tableHeaders, ''));
      expect(words(shown.join('\n'))).toBe(words(all.replaceAll(tableHeaders, '')));
    }),
    { numRuns: 200 },
  );
});

test('details are one block, with the blocks in them', () => {
  const text =
    'Before\n<details>\n<summary>S</summary>\n\n- a\n\n<details>\nb\n</details>\n\n</details>\nAfter';
  expect(blocks(blocksOf(text)).map((block) => block.text.trim().split('\n', 1)[0])).toEqual([
    'Before',
    '<details>',
    'After',
  ]);
});

test.each([
  ['a line of a megabyte', 'x'.repeat(1_000_000)],
  ['a paragraph without end', 'word '.repeat(200_000)],
  ['code without end', `\`\`\`\n${'const a = 1;\n'.repeat(80_000)}`],
  ['one line of code without end', `\`\`\`\n${'x'.repeat(1_000_000)}`],
  ['a table without end', `| a |\n|---|\n${'| 1 |\n'.repeat(100_000)}`],
  ['a list without end', '- item\n'.repeat(100_000)],
  ['one item without end', `- ${'word '.repeat(200_000)}`],
  ['a quote without end', '> said\n'.repeat(100_000)],
  ['a formula without end', `$$\n${'x\n'.repeat(400_000)}`],
])('%s keeps the open block small', (_, text) => {
  const stream = new BlockStream();
  let longestOpen = 0;
  let largestGroup = 0;
  for (let at = 0; at < text.length; at += 997) {
    stream.append(text.slice(at, at + 997));
    const last = stream.groups.get().at(-1)?.blocks.get() ?? [];
    longestOpen = Math.max(longestOpen, last.at(-1)?.text.length ?? 0);
    largestGroup = Math.max(
      largestGroup,
      last.reduce((sum, block) => sum + block.text.length, 0),
    );
  }
  expect(longestOpen).toBeLessThan(6000);
  expect(largestGroup).toBeLessThan(25_000);
});
