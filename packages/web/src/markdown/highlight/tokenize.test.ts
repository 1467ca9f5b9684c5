import { afterEach, expect, test, vi } from 'vitest';
import { tokenize } from './tokenize.ts';
import { TOKEN_KINDS } from './tokens.ts';

afterEach(() => vi.restoreAllMocks());

const code = `/** What it is. */
export function twice(value: number): number {
  const words = \`\${value} and \${value}\`; // twice
  return words.length > 3 ? value * 2 : 0;
}
`;
const asked = { language: 'typescript', text: code, after: '' };

/** Highlighted words and their kinds. */
const read = (highlights: readonly number[]): string[] =>
  Array.from({ length: highlights.length / 3 }, (_, at) => {
    const [start = 0, end = 0, kind = 0] = highlights.slice(at * 3, at * 3 + 3);
    return `${TOKEN_KINDS[kind]} ${code.slice(start, end).trim()}`;
  });

test('a slow clock does not stop the first highlighting', async () => {
  let now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 60_000));
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 60_000));
  const cold = read(await tokenize(asked));
  vi.restoreAllMocks();
  expect(cold).toEqual(read(await tokenize(asked)));
  expect(cold).toContain('function twice');
  expect(cold.filter((words) => words.startsWith('comment'))).toEqual([
    'comment /** What it is. */',
    'comment // twice',
  ]);
});

test('earlier pieces give context to later ones', async () => {
  const [before, ...rest] = ['/* It begins', 'and goes on. */', 'const a = 1;'];
  const text = rest.join('\n');
  const highlights = await tokenize({ language: 'typescript', text, after: `${before}\n` });
  expect(highlights.slice(0, 3)).toEqual([
    0,
    'and goes on. */'.length,
    TOKEN_KINDS.indexOf('comment'),
  ]);
});
