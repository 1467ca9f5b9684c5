import { expect, test } from 'vitest';
import { frontMatter } from './front-matter.ts';

const fieldsOf = (...lines: string[]) =>
  Object.fromEntries(frontMatter(`---\n${lines.join('\n')}\n---\n`).fields);

test.each([
  ['plain', ['name: a skill'], { name: 'a skill' }],
  ['quoted', ['name: "a: b"', "license: 'MIT'"], { name: 'a: b', license: 'MIT' }],
  [
    'with escapes',
    [String.raw`name: "a \"b\" \u00e9"`, "title: 'it''s'"],
    { name: 'a "b" é', title: "it's" },
  ],
  ['with a comment', ['name: a # not this', 'title: b#c'], { name: 'a', title: 'b#c' }],
  [
    'folded',
    ['description: >-', '  what it does:', '  and when'],
    { description: 'what it does: and when' },
  ],
  ['literal', ['description: |', '  one', '', '  two'], { description: 'one two' }],
  ['continued', ['description: one', '  two'], { description: 'one two' }],
  ['with a quoted name', ['"name": a'], { name: 'a' }],
  ['in a flow mapping', ['{ name: a, description: b }'], { name: 'a', description: 'b' }],
  [
    'that other schemas read as other types',
    ['name: 1.0', 'title: yes', 'other: 0x1F'],
    { name: '1.0', title: 'yes', other: '0x1F' },
  ],
  ['without a value', ['name:', 'description: b'], { description: 'b' }],
])('fields are read: %s', (_, lines, expected) => {
  expect(fieldsOf(...lines)).toEqual(expected);
});

test('nested fields are not taken for top-level ones', () => {
  expect(fieldsOf('metadata:', '  name: other', 'tools: [a, b]', 'name: a')).toEqual({ name: 'a' });
});

test.each([
  ['Unix line ends', '---\nname: a\n---\n# Body\n'],
  ['Windows line ends', '---\r\nname: a\r\n---\r\n# Body\n'],
  ['a byte order mark', '\uFEFF---\nname: a\n---\n# Body\n'],
  ['trailing spaces', '--- \nname: a\n---\t\n# Body\n'],
])('the body follows the front matter: %s', (_, document) => {
  const { fields, body, problem } = frontMatter(document);
  expect({ name: fields.get('name'), body, problem }).toEqual({ name: 'a', body: '# Body\n' });
});

test('a document without front matter is all body', () => {
  for (const document of ['# Body\n---\n', '---\nname: never closed\n', '']) {
    expect(frontMatter(document)).toEqual({ fields: new Map(), body: document });
  }
});

test('front matter may be empty', () => {
  for (const block of ['', '\n', '# comment\n']) {
    expect(frontMatter(`---\n${block}---\nBody`)).toEqual({ fields: new Map(), body: 'Body' });
  }
});

test.each([
  [
    'name: a\ndescription: Use it: when',
    'The front matter is not valid YAML: Nested mappings are not allowed in compact mappings at line 3, column 14.',
  ],
  ['name: "a', 'The front matter is not valid YAML: Missing closing "quote at line 3, column 1.'],
  [
    'name: a\nname: b',
    'The front matter is not valid YAML: Map keys must be unique at line 3, column 1.',
  ],
  ['- a', 'The front matter is not a list of `name: value` fields.'],
  [`name: ${'a'.repeat(16_384)}`, 'The front matter is longer than 16 KiB.'],
])('a problem is reported with its line of the file: %#', (block, problem) => {
  expect(frontMatter(`---\n${block}\n---\nBody`)).toEqual({
    fields: new Map(),
    problem,
    body: 'Body',
  });
});

test('aliases are not expanded', () => {
  const { fields, problem } = frontMatter(
    '---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nd: *nowhere\nname: a\n---\n',
  );
  expect(problem).toBeUndefined();
  expect(Object.fromEntries(fields)).toEqual({ name: 'a' });
});

test('deeply nested input is a problem, not a crash', () => {
  expect(frontMatter(`---\n${'['.repeat(10_000)}\n---\n`).problem).toContain('not valid YAML');
});
