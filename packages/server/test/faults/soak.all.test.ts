import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import { DISTURBANCES } from '../../../../faults/soak/counts.ts';
import { soak } from '../../../../faults/soak/soak.ts';

/* `npm run soak` for a minute, or for as long as it takes until everything has happened that an hour has in it. */
const TIMEOUT_MS = 3_600_000;

const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
afterAll(() => postgres.stop());

test(
  'people who do everything at once keep every promise while replicas and the database are restarted',
  { timeout: TIMEOUT_MS },
  async () => {
    const { problems, counts } = await soak({
      postgres,
      bus: 'postgres',
      minutes: 1,
      atMostMinutes: 10,
      replicas: 3,
      people: 12,
      restartEverySeconds: 20,
      crashEveryMinutes: 0.7,
      sampleEverySeconds: 5,
      seed: 1,
      now: () => performance.now(),
      onSample: () => undefined,
      onProblem: () => undefined,
    });
    // Kinds of load that did not happen are among the problems.
    expect(problems).toEqual([]);
    for (const kind of DISTURBANCES) expect(counts[kind], kind).toBeGreaterThan(0);
  },
);
