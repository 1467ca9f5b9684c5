import { expect, test } from 'vitest';
import { parsePage, reasonNotRun } from './page.ts';

const page = (...lines: string[]) => parsePage('docs/page.md', lines.join('\n'));

test('a block has its language, its text, and the line that its text begins at', () => {
  const { blocks, faults } = page('# Title', '', '```sh', 'one', 'two', '```', '', 'Words.');
  expect(faults).toEqual([]);
  expect(blocks).toEqual([
    { line: 4, language: 'sh', text: 'one\ntwo', hidden: false, notes: new Map() },
  ]);
});

test('a block within a list loses the indentation of the list', () => {
  const { blocks } = page('- Item:', '', '  ```sh', '  one', '    two', '  ```');
  expect(blocks[0]?.text).toBe('one\n  two');
});

test('a block may hold fences that are shorter than its own', () => {
  const { blocks } = page('````text', '```sh', 'no command', '```', '````');
  expect(blocks.map(({ language, text }) => [language, text])).toEqual([
    ['text', '```sh\nno command\n```'],
  ]);
});

test('comments above a block are its notes, and no one else’s', () => {
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

test('what is hidden is a block too', () => {
  const { blocks } = page('<!-- hidden', 'one', '-->', '<!-- hidden ts', 'two', '-->');
  expect(blocks).toMatchObject([
    { line: 2, language: 'sh', text: 'one', hidden: true },
    { line: 5, language: 'ts', text: 'two', hidden: true },
  ]);
});

test('a block is not run for its own reason, or for that of its page', () => {
  const own = page('<!-- not run: needs Docker -->', '```sh', 'docker', '```');
  expect(own.blocks.map((block) => reasonNotRun(own, block))).toEqual(['needs Docker']);
  const whole = page('<!-- page not run: needs a cluster -->', '', '```sh', 'kubectl', '```');
  expect(whole.blocks.map((block) => reasonNotRun(whole, block))).toEqual(['needs a cluster']);
});

test.each([
  ['a reason that is missing', ['<!-- not run -->', '```sh', 'x', '```']],
  ['a note that nobody knows', ['<!-- dont run: slow -->', '```sh', 'x', '```']],
  ['a note about nothing', ['<!-- not run: slow -->', 'Words.', '```sh', 'x', '```']],
  ['a note about another language', ['<!-- not run: slow -->', '```ts', 'x', '```']],
  ['commands in another language', ['```bash', 'x', '```']],
  ['a block without an end', ['```sh', 'x']],
  ['a comment without an end', ['<!-- hidden', 'x']],
])('%s is a fault, with its place', (_what, lines) => {
  expect(page(...lines).faults).toEqual([expect.stringMatching(/^docs\/page\.md:\d: /)]);
});

test('markers of figures and other comments are left alone', () => {
  const text = [
    '<!-- written by npm run reference -->',
    '',
    'Words.',
    '<!-- /figures -->',
    '```sh',
  ];
  expect(page(...text, 'x', '```').faults).toEqual([]);
});
