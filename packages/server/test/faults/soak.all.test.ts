import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import { INJECTED_FAULTS } from '../../../../faults/soak/counts.ts';
import { soak } from '../../../../faults/soak/soak.ts';

/* One minute of `npm run soak`, or more until every kind of load has occurred. */
const TIMEOUT_MS = 3_600_000;

const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
afterAll(() => postgres.stop());

test(
  'all guarantees hold under mixed load while replicas and the database restart',
  { timeout: TIMEOUT_MS },
  async () => {
    const { problems, counts } = await soak({
      postgres,
      bus: 'postgres',
      minutes: 1,
      atMostMinutes: 10,
      replicas: 3,
      users: 12,
      restartEverySeconds: 20,
      crashEveryMinutes: 0.7,
      sampleEverySeconds: 5,
      seed: 1,
      now: () => performance.now(),
      onSample: () => undefined,
      onProblem: () => undefined,
    });
    // Missing kinds of load are reported as problems.
    expect(problems).toEqual([]);
    for (const kind of INJECTED_FAULTS) expect(counts[kind], kind).toBeGreaterThan(0);
  },
);
