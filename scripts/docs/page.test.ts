import { expect, test } from 'vitest';
import { parsePage, reasonNotRun } from './page.ts';

const page = (...lines: string[]) => parsePage('docs/page.md', lines.join('\n'));

test('a block has a language, a text and a line number', () => {
  const { blocks, faults } = page('# Title', '', '```sh', 'one', 'two', '```', '', 'Words.');
  expect(faults).toEqual([]);
  expect(blocks).toEqual([
    { line: 4, language: 'sh', text: 'one\ntwo', hidden: false, notes: new Map() },
  ]);
});

test('the indentation of a list is removed from its blocks', () => {
  const { blocks } = page('- Item:', '', '  ```sh', '  one', '    two', '  ```');
  expect(blocks[0]?.text).toBe('one\n  two');
});

test('a block can contain shorter fences', () => {
  const { blocks } = page('````text', '```sh', 'no command', '```', '````');
  expect(blocks.map(({ language, text }) => [language, text])).toEqual([
    ['text', '```sh\nno command\n```'],
  ]);
});

test('comments directly above a block are its notes', () => {
  const { blocks, faults } = page(
    '<!-- types: a ⏎ b -->\n<!-- fails with: 3 -->\n\n```sh\none\n```',
    '```sh\ntwo\n```',
  );
  expect(faults).toEqual([]);
  expect(blocks.map(({ notes }) => [...notes])).toEqual([
    [
      ['types', 'a ⏎ b'],
      ['fails with', '3'],
    ],
    [],
  ]);
});

test('hidden comments are blocks', () => {
  const { blocks } = page('<!-- hidden', 'one', '-->', '<!-- hidden ts', 'two', '-->');
  expect(blocks).toMatchObject([
    { line: 2, language: 'sh', text: 'one', hidden: true },
    { line: 5, language: 'ts', text: 'two', hidden: true },
  ]);
});

test('a block or a whole page can be skipped with a reason', () => {
  const own = page('<!-- not run: needs Docker -->', '```sh', 'docker', '```');
  expect(own.blocks.map((block) => reasonNotRun(own, block))).toEqual(['needs Docker']);
  const whole = page('<!-- page not run: needs a cluster -->', '', '```sh', 'kubectl', '```');
  expect(whole.blocks.map((block) => reasonNotRun(whole, block))).toEqual(['needs a cluster']);
});

test.each([
  ['a missing reason', ['<!-- not run -->', '```sh', 'x', '```']],
  ['an unknown note', ['<!-- dont run: slow -->', '```sh', 'x', '```']],
  ['a note without a block', ['<!-- not run: slow -->', 'Words.', '```sh', 'x', '```']],
  ['a note for another language', ['<!-- not run: slow -->', '```ts', 'x', '```']],
  ['commands in another language', ['```bash', 'x', '```']],
  ['an unclosed block', ['```sh', 'x']],
  ['an unclosed comment', ['<!-- hidden', 'x']],
])('%s is reported with file and line', (_what, lines) => {
  expect(page(...lines).faults).toEqual([expect.stringMatching(/^docs\/page\.md:\d: /)]);
});

test('figure markers and other comments are ignored', () => {
  const text = [
    '<!-- written by npm run reference -->',
    '',
    'Words.',
    '<!-- /figures -->',
    '```sh',
  ];
  expect(page(...text, 'x', '```').faults).toEqual([]);
});
