import { startPostgres } from './deployment/postgres.ts';
import { formatProblem } from './oracle/problem.ts';
import type { Outcome, RowContext } from './row.ts';
import { ROWS } from './rows/index.ts';

/** What the parent asks for, as JSON in the only argument. */
export interface RowRequest extends Pick<RowContext, 'bus' | 'rounds' | 'chats'> {
  readonly fault: string;
}

/** What the process sends before it exits. */
export interface RowResponse {
  readonly outcome: Outcome;
  /** Version of PostgreSQL. */
  readonly postgres: string;
}

/*
 * Runs one row with a separate PostgreSQL, so that rows do not share an event loop or a database, and a row that crashes
 * does not end the others.
 */
// Exit handlers stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
process.on('disconnect', () => process.exit(130));

const { fault, ...request } = JSON.parse(process.argv[2] ?? '{}') as RowRequest;
const row = ROWS.find(({ name }) => name === fault);
if (row === undefined) throw new Error(`Unknown fault: ${fault}`);

const log = (line: string) => console.log(line);
const postgres = await startPostgres();
const outcome = await row
  .run({ ...request, postgres, log })
  .catch((error: unknown): Outcome => ({ problems: [{ kind: 'wrong', what: stackOf(error) }] }));
await postgres.stop();
for (const problem of outcome.problems.slice(0, 20)) log(`FAILED: ${formatProblem(problem)}`);
for (const late of outcome.late ?? []) log(`TIME LIMIT EXCEEDED: ${late}`);
const response: RowResponse = { outcome, postgres: postgres.version };
process.send?.(response, () => process.exit());

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
