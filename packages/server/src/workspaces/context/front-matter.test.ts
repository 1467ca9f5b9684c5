import { expect, test } from 'vitest';
import { frontMatter } from './front-matter.ts';

test('fields are read, plain, quoted and over several lines', () => {
  const document = `---
name: "a skill"
description: >-
  what it does:
  and when
license: 'MIT'
---
# Body
`;
  expect(frontMatter(document)).toEqual({
    fields: { name: 'a skill', description: 'what it does: and when', license: 'MIT' },
    body: '# Body\n',
  });
});

test('a document without it is all body', () => {
  expect(frontMatter('# Body\n---\n')).toEqual({ fields: {}, body: '# Body\n---\n' });
  expect(frontMatter('---\nname: never closed\n').fields).toEqual({});
});
