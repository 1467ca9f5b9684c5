import type { Json, Part } from '@chatd/protocol';
import { said, type StoredMessage } from './stored-chat.ts';

const at = (minute: number, second = 0): string =>
  new Date(Date.UTC(2026, 10, 14, 9, minute, second)).toISOString();

const call = (id: string, tool_name: string, args: Json, created_at: string): Part => ({
  type: 'tool-call',
  tool_call_id: id,
  tool_name,
  args,
  created_at,
});
const result = (id: string, tool_name: string, value: Json, created_at: string): Part => ({
  type: 'tool-result',
  tool_call_id: id,
  tool_name,
  result: value,
  created_at,
});
const usage = {
  input_tokens: 1200,
  cache_read_tokens: 46_000,
  output_tokens: 640,
  context_limit: 200_000,
};

const PLAN = `The limiter counts requests in memory, so **two replicas allow twice as many**. I move the count to PostgreSQL:

1. one row for each client and window
2. \`INSERT … ON CONFLICT DO UPDATE\`, so that a request is one round trip
3. old windows are deleted by the sweep that is there already

\`\`\`ts
export async function allowed(client: string, now: Date): Promise<boolean> {
  const window = Math.floor(now.getTime() / WINDOW_MS);
  const { count } = await increment(client, window);
  return count <= LIMIT; // the one over it is refused
}
\`\`\`

| | before | after |
| --- | ---: | ---: |
| replicas that count together | 1 | all |
| round trips | 0 | 1 |
| p99 of a request | 1.1 ms | 2.3 ms |

With $n$ clients the table holds at most $2n$ rows, see the [manual](https://www.postgresql.org/docs/current/sql-insert.html).`;

/** A finished task, used for screenshots. */
export const richChat = (): StoredMessage[] => [
  {
    ...said(
      'user',
      'Our rate limiter lets too many requests through when there are two replicas. Find out why and fix it.',
    ),
    created_at: at(0),
  },
  {
    role: 'assistant',
    created_at: at(0, 9),
    usage,
    cost_micros: 21_400,
    runtime_ms: 8200,
    content: [
      {
        type: 'reasoning',
        text: 'The limiter may keep its counts in the process. I look at the code before I say anything.',
        created_at: at(0, 1),
        completed_at: at(0, 5),
      },
      { type: 'text', text: 'I look at how it counts first.' },
      call('c1', 'search_files', { pattern: 'RateLimiter', path: 'src' }, at(0, 8)),
      call('c2', 'read_file', { path: 'src/limits/rate-limiter.ts' }, at(0, 8)),
    ],
  },
  {
    role: 'tool',
    created_at: at(0, 10),
    content: [
      result(
        'c1',
        'search_files',
        'src/limits/rate-limiter.ts:4:export class RateLimiter {\nsrc/app.ts:31:const limiter = new RateLimiter();',
        at(0, 9),
      ),
      result(
        'c2',
        'read_file',
        '     1\tconst counts = new Map<string, number>();\n     2\t\n     3\t/** Counts requests. */\n     4\texport class RateLimiter {',
        at(0, 9),
      ),
    ],
  },
  {
    role: 'assistant',
    created_at: at(0, 24),
    usage,
    cost_micros: 30_100,
    runtime_ms: 13_000,
    content: [{ type: 'text', text: PLAN }],
  },
  { ...said('user', 'Good. Do it, and run the tests.'), created_at: at(4) },
  {
    role: 'assistant',
    created_at: at(4, 12),
    usage,
    cost_micros: 18_000,
    runtime_ms: 11_000,
    content: [
      call(
        'c3',
        'todo_write',
        {
          todos: [
            { content: 'Count in PostgreSQL', status: 'completed' },
            { content: 'Run the tests', status: 'in_progress' },
            { content: 'Say it in the changelog', status: 'pending' },
          ],
        },
        at(4, 3),
      ),
      call(
        'c4',
        'edit_files',
        {
          files: [
            {
              path: 'src/limits/rate-limiter.ts',
              edits: [
                {
                  old_text: 'const counts = new Map<string, number>();',
                  new_text: "import { increment } from './increment.ts';",
                },
              ],
            },
          ],
        },
        at(4, 6),
      ),
      call('c5', 'execute', { command: 'npm test -- limits' }, at(4, 8)),
    ],
  },
  {
    role: 'tool',
    created_at: at(4, 20),
    content: [
      result('c3', 'todo_write', 'ok', at(4, 4)),
      result(
        'c4',
        'edit_files',
        "--- a/src/limits/rate-limiter.ts\n+++ b/src/limits/rate-limiter.ts\n@@ -1,4 +1,4 @@\n-const counts = new Map<string, number>();\n+import { increment } from './increment.ts';\n \n /** Counts requests. */\n export class RateLimiter {",
        at(4, 7),
      ),
      result(
        'c5',
        'execute',
        {
          exit_code: 0,
          output:
            '\u001B[32m✓\u001B[39m two replicas count together \u001B[2m(41 ms)\u001B[22m\n\u001B[32m✓\u001B[39m a client over the limit is refused\n\n\u001B[1mTests\u001B[22m  \u001B[32m12 passed\u001B[39m\n',
        },
        at(4, 19),
      ),
    ],
  },
  {
    role: 'assistant',
    created_at: at(4, 31),
    usage: { ...usage, cache_read_tokens: 88_000 },
    cost_micros: 24_300,
    runtime_ms: 9000,
    content: [
      {
        type: 'text',
        text: 'Done: the replicas count together, and all **12 tests** pass.\n\n- [x] `rate-limiter.ts` counts in PostgreSQL\n- [x] tests with two replicas\n- [ ] the changelog, once you tell me the version',
      },
      {
        type: 'source',
        source_id: 's1',
        url: 'https://www.postgresql.org/docs/current/sql-insert.html',
        title: 'INSERT',
      },
    ],
  },
];
