import { expect, test } from 'vitest';
import { markOf } from '../citation.ts';
import { completed } from './completed.ts';
import { parseBlock, parseInline, referencesOf } from './parser.ts';

const inline = (text: string) =>
  (parseInline(text, {})[0]?.children ?? []).map(({ type, content }) =>
    `${type} ${content}`.trim(),
  );

test('formulas are recognized, amounts of money are not', () => {
  expect(inline('so $x^2$ is')).toEqual(['text so', 'math_inline x^2', 'text  is']);
  expect(inline('\\(a\\) and \\[b\\]')).toContain('math_inline b');
  expect(inline('from $5 to $10, or $ 3 $').join(' ')).not.toContain('math');
});

test('HTML is text, except for line breaks in table cells', () => {
  expect(inline('<img src=x onerror=alert(1)>')).toEqual(['text <img src=x onerror=alert(1)>']);
  expect(inline('a<br/>b')).toEqual(['text a', 'hardbreak', 'text b']);
});

test('citation marks differ from brackets that the model writes', () => {
  expect(inline(`so${markOf(12)}(see [1])`)).toEqual(['text so', 'citation 12', 'text (see [1])']);
});

test('reference links find their definition elsewhere in the text', () => {
  const references = referencesOf(['[docs]: https://example.org/docs']);
  const [, paragraph] = parseBlock('See the [manual][docs].', references);
  const link = paragraph?.children?.find(({ type }) => type === 'link_open');
  expect(link?.attrGet('href')).toBe('https://example.org/docs');
});

const kinds = (text: string) =>
  parseInline(text, referencesOf(['[^1]: The note', '[a]: https://example.org']))[0]?.children?.map(
    ({ type, content }) => `${type} ${content}`.trim(),
  );

test('a mark without its footnote is text', () => {
  expect(kinds('so[^1]')).toEqual(['text so', 'footnote_ref 1']);
  expect(kinds('not [^a-z]')?.join('')).toContain('[^a-z]');
  expect(kinds('not [^a-z]')?.join(' ')).not.toContain('footnote_ref');
});

test.each([
  ['Some **bold', 'Some **bold**'],
  ['Some **bold *and', 'Some **bold *and***'],
  ['Some **', 'Some '],
  ['a `code', 'a `code`'],
  ['a `code`', 'a `code`'],
  ['see [the docs](https://exa', 'see the docs'],
  ['see [the do', 'see the do'],
  ['snake_case and 2*3', 'snake_case and 2*3'],
  ['- item *soft', '- item *soft*'],
  ['Text\n``', 'Text'],
  ['| a | b |', ''],
  ['| a | b |\n|--', ''],
  ['done ~~gone', 'done ~~gone~~'],
  ['all **done** here', 'all **done** here'],
  [`cited${markOf(1)}`, `cited${markOf(1)}`],
  [`cited${markOf(1).slice(0, -1)}`, 'cited'],
])('%j, incomplete, is shown as %j', (text, shown) => {
  expect(completed(text)).toBe(shown);
});
