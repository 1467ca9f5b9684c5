import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFECTS } from './compared/defects.ts';
import { RealDatabase } from './compared/real-database.ts';
import { SimulatedDatabase } from './compared/simulated-database.ts';
import { anySequence, type Observation, observe, type Sequence } from './compared/sequence.ts';

/*
 * The statements of triggers, the outbox and machines behave the same in the simulation as in PostgreSQL: the same
 * operations, including those in overlapping transactions, have the same results and leave the same rows.
 * CHATD_TEST_SEED=… npx vitest run simulated-statements
 */
const exhaustive = process.env['CHATD_TEST_ALL'] === '1';
const SEQUENCES = exhaustive ? 2_000 : 40;
/** Random seeds only in exhaustive runs, so that a change does not fail because of an earlier one. */
const seed = Number(process.env['CHATD_TEST_SEED'] ?? (exhaustive ? Date.now() % 2 ** 31 : 1));

const real = await RealDatabase.create();

async function observeReal(steps: Sequence): Promise<Observation[]> {
  await real.open();
  return await observe(real, steps);
}

/** A statement of the simulation may return more columns than its SQL. */
function expectSame(simulated: readonly Observation[], real: readonly Observation[]): void {
  for (const [index, { step, result, rows }] of real.entries()) {
    const where = `step ${index + 1}: ${JSON.stringify(step)}`;
    expect({ result: simulated[index]?.result }, where).toMatchObject({ result });
    expect(simulated[index]?.rows, where).toEqual(rows);
  }
}

function isSame(simulated: readonly Observation[], real: readonly Observation[]): boolean {
  try {
    expectSame(simulated, real);
    return true;
  } catch {
    return false;
  }
}

test(`${SEQUENCES} random sequences of operations have the same effects (seed ${seed})`, async () => {
  const property = fc.asyncProperty(anySequence, async (steps) => {
    const expected = await observeReal(steps);
    const simulated = await SimulatedDatabase.use([], (database) => observe(database, steps));
    expectSame(simulated, expected);
  });
  await fc.assert(property, { numRuns: SEQUENCES, seed });
}, 3_600_000);

/** Always the same sequences, and enough of them to find all defects. */
const SAMPLE = fc.sample(anySequence, { numRuns: 30, seed: 3 });

describe('the comparison finds a defect of a statement', () => {
  const observed: { readonly steps: Sequence; readonly expected: readonly Observation[] }[] = [];
  beforeAll(async () => {
    for (const steps of SAMPLE) observed.push({ steps, expected: await observeReal(steps) });
  }, 600_000);

  test('and finds none in the original statements', async () => {
    for (const { steps, expected } of observed) {
      const simulated = await SimulatedDatabase.use([], (database) => observe(database, steps));
      expectSame(simulated, expected);
    }
  });

  test.each(Object.entries(DEFECTS))('%s', async (_, defect) => {
    const differs = async ({ steps, expected }: (typeof observed)[number]) => {
      const simulated = await SimulatedDatabase.use([defect], (database) =>
        observe(database, steps),
      );
      return !isSame(simulated, expected);
    };
    let isFound = false;
    for (const one of observed) isFound ||= await differs(one);
    expect(isFound).toBe(true);
  });
});
