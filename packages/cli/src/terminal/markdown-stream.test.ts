import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plain } from '../output/style.ts';
import { renderMarkdown } from './markdown.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { widthOf } from './wrap.ts';

const TEXT = `# Heading 漢字

A paragraph with **bold**, \`code\` and a [link](https://example.org/a_long_path).
It goes on.

- one
- two
  - nested

1. first

2. second

\`\`\`ts
const a = 1;

if (a < 2) run();
\`\`\`

> quote
> goes on

| a | b |
|---|--:|
| 1 | 2 |

---

the end 👩‍👩‍👧`;

test('the output does not depend on how the text is split', () => {
  const page = { width: 40, style: plain };
  const whole = renderMarkdown(TEXT, page);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (sizes) => {
      const stream = new MarkdownStream();
      const lines: string[] = [];
      let at = 0;
      for (const size of sizes) {
        lines.push(...stream.push(TEXT.slice(at, at + size), page));
        at += size;
      }
      lines.push(...stream.push(TEXT.slice(at), page), ...stream.finish(page));
      expect(lines).toEqual(whole);
    }),
  );
});

test('final and live lines are disjoint and complete', () => {
  const page = { width: 60, style: plain };
  const stream = new MarkdownStream();
  const given: string[] = [];
  for (const letter of 'first\n\nsecond\n\n- a\n- b\n') {
    given.push(...stream.push(letter, page));
  }
  // All list items but the last, which may still grow.
  expect(given).toEqual(['first', '', 'second', '', '• a']);
  expect(stream.live(page)).toEqual(['• b']);
  expect(stream.finish(page)).toEqual(['• b']);
  expect(stream.live(page)).toEqual([]);
});

test('no line is wider than the page', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 12, max: 60 }),
      (text, width) => {
        for (const line of renderMarkdown(text.replaceAll(/\p{Cc}/gu, ' '), {
          width,
          style: plain,
        })) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      },
    ),
  );
});
