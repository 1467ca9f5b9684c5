import { expect, test } from 'vitest';
import { parsePage } from './page.ts';
import { programsOf } from './program.ts';
import { typeErrors } from './type-check.ts';

function programs(...blocks: string[]) {
  const text = blocks.map((block) =>
    block.startsWith('<!--') ? block : `\`\`\`ts\n${block}\n\`\`\``,
  );
  return programsOf(parsePage('docs/page.md', text.join('\n')));
}

test('the blocks of a page form one program; later blocks can redeclare names', async () => {
  const errors = await typeErrors(
    programs(
      `import { join } from 'node:path';\nconst name: string = join('a', 'b');`,
      `import { dirname, join } from 'node:path';\nconst folder = dirname(join(name));`,
      `const name = folder.length;\nconst twice: number = name * 2;`,
    ),
  );
  expect(errors).toEqual([]);
});

test('type errors are reported with the line on the page', async () => {
  const errors = await typeErrors(
    programs(`import { join } from 'node:path';\njoin('a');`, `const a = 1;\njoin(a);`),
  );
  expect(errors).toEqual([expect.stringMatching(/^docs\/page\.md:7: error TS2345/)]);
});

test('hidden blocks are part of the program, named files are not', async () => {
  const errors = await typeErrors(
    programs(
      '<!-- hidden ts\ndeclare const chatId: string;\n-->',
      'chatId.trim();',
      '<!-- file: alone.ts -->',
      'chatId.trim();',
    ),
  );
  expect(errors).toEqual([expect.stringMatching(/^docs\/page\.md:9: error TS2304/)]);
});
