import * as fc from 'fast-check';
import type { Transaction } from '../../../src/store/transaction.ts';
import type { ComparedDatabase, Rows } from './compared-database.ts';
import { Counts, type Operation, OPERATIONS_BY_FOCUS, perform, shown } from './operations.ts';

/** One operation, or two that overlap: `second` starts while the transaction of `first` is open. */
type Step =
  | { readonly alone: Operation }
  | {
      readonly first: readonly Operation[];
      /** The time between them. A transaction times out when it is idle for 10 seconds. */
      readonly ms: number;
      readonly second: Operation;
      readonly commits: boolean;
    }
  | { readonly ms: number }
  | { readonly restarts: true };

const stepOf = (operation: fc.Arbitrary<Operation>): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 36, arbitrary: fc.record({ alone: operation }) },
    {
      weight: 21,
      arbitrary: fc.record({
        first: fc.array(operation, { minLength: 1, maxLength: 3 }),
        ms: fc.constantFrom(0, 0, 0, 1_000),
        second: operation,
        commits: fc.boolean(),
      }),
    },
    // Less than a lease, exactly one, and more.
    { weight: 6, arbitrary: fc.record({ ms: fc.constantFrom(1, 1_000, 3_000, 3_001, 60_000) }) },
    // The lifetime of an event.
    { weight: 1, arbitrary: fc.constant({ ms: 86_400_000 }) },
    { weight: 1, arbitrary: fc.constant({ restarts: true as const }) },
  );

export type Sequence = readonly Step[];

export const anySequence: fc.Arbitrary<Sequence> = fc.oneof(
  ...OPERATIONS_BY_FOCUS.map((operation) =>
    fc.array(stepOf(operation), { minLength: 1, maxLength: 40, size: 'max' }),
  ),
);

/** The result of a step, and the rows after it. */
export interface Observation {
  readonly step: Step;
  readonly result: unknown;
  readonly rows: Rows;
}

export async function observe(database: ComparedDatabase, steps: Sequence): Promise<Observation[]> {
  const observations: Observation[] = [];
  const counts = new Counts();
  let now = 0;
  const pass = async (ms: number) => {
    now += ms;
    if (ms > 0) await database.moveClock(now);
  };
  let rows = await database.rows();
  for (const step of steps) {
    const context = (tx: Transaction | undefined) => ({ database, tx, rows, counts });
    let result: unknown;
    if ('alone' in step) result = await perform(step.alone, context(undefined));
    else if ('restarts' in step) await database.restart();
    else if ('second' in step) result = await overlap(step, database, context, pass);
    else await pass(step.ms);
    rows = await database.rows();
    const outbox = rows.outbox.map((row) => shown(row, counts));
    observations.push({ step, result, rows: { ...rows, outbox } });
  }
  return observations;
}

async function overlap(
  { first, ms, second, commits }: Extract<Step, { readonly second: Operation }>,
  database: ComparedDatabase,
  context: (tx: Transaction | undefined) => Parameters<typeof perform>[1],
  pass: (ms: number) => Promise<void>,
): Promise<unknown> {
  const tx = await database.store.database.begin();
  try {
    const results: unknown[] = [];
    for (const operation of first) results.push(await perform(operation, context(tx)));
    await pass(ms);
    const working = perform(second, context(undefined));
    const waited = await database.settledOrBlocked(working);
    const ended = await (commits ? tx.commit() : tx.rollback()).then(
      () => 'ended',
      () => 'failed',
    );
    return { first: results, waited, ended, second: await working };
  } finally {
    await tx.rollback();
  }
}
