import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

const SHOWCASE = `# Markdown

Text can be **bold**, *italic*, ~~struck out~~ or \`code\`, and it can [link somewhere](https://example.com/).

## A list

1. First things first
2. Then the rest
   - with a detail
   - and another one

- [x] done
- [ ] still to do

## A table

| class | tokens | cost |
| --- | ---: | ---: |
| input | 1,200 | 0.0036 |
| cache read | 8,000 | 0.0024 |
| output | 310 | 0.0047 |

## Code

\`\`\`ts
const answer = await chat.send('Show me markdown');
for (const part of answer.parts) console.log(part.text);
\`\`\`

## A quote

> What was acknowledged is durable.

---

And a formula for good measure: \`cost = tokens × price\`.`;

export const markdown: Intent = {
  try: 'show me markdown',
  shows: 'headings, a list, a table, code, a link and a quote',
  matches: (said) => /\bmarkdown\b|\bformatting\b/i.test(said),
  begin: () => script(think('One of each element, to show how it is rendered.'), say(SHOWCASE)),
};
