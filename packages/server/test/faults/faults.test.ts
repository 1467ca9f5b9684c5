import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import type { Row } from '../../../../faults/row.ts';
import { databaseRestart } from '../../../../faults/rows/database-restart.ts';
import { flap, flappingClients } from '../../../../faults/rows/flapping-clients.ts';
import { frozenOwner } from '../../../../faults/rows/frozen-owner.ts';
import { killMidStream } from '../../../../faults/rows/kill-mid-stream.ts';
import { listenCut } from '../../../../faults/rows/lost-listen.ts';
import { noisyNeighbor, runNoisyNeighbor } from '../../../../faults/rows/noisy-neighbor.ts';

/*
 * Rows of `npm run faults`: two replica processes with a lease of two seconds. These tests check the guarantees; the suite
 * also checks time limits.
 */
const TIMEOUT_MS = 240_000;
const RECONNECTS = 300;

// A dedicated server, because tests crash it. Surviving these crashes does not require fsync.
const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
afterAll(() => postgres.stop());

const contextOf = ({ chats }: Row) =>
  ({ bus: 'postgres', postgres, rounds: 1, chats, log: () => undefined }) as const;

const problemsOf = async (row: Row) => {
  const outcome = await row.run(contextOf(row));
  return outcome.problems;
};

test(
  'after kill -9 of its owner mid-stream, another replica finishes the turn and viewers see one answer',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(killMidStream)).toEqual([]),
);

test(
  'an owner frozen past its lease commits nothing and stops its tools',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(frozenOwner)).toEqual([]),
);

test(
  'after a PostgreSQL crash, acknowledged writes survive and chats keep their owners',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(databaseRestart)).toEqual([]),
);

test(
  'a replica whose LISTEN connection is silently cut delivers all events and reconnects',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(listenCut)).toEqual([]),
);

test(
  `clients that reconnect ${RECONNECTS} times to alternating replicas receive every event once`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { problems } = await flap(contextOf(flappingClients), RECONNECTS);
    expect(problems).toEqual([]);
  },
);

test(
  'while one member sends all expensive requests at once, other members are served and no lease is lost',
  { timeout: TIMEOUT_MS },
  async () => {
    const scale = { messages: 2000, quietMs: 1000, noisyMs: 6000, intensity: 0.2 };
    const { problems } = await runNoisyNeighbor(contextOf(noisyNeighbor), scale);
    expect(problems).toEqual([]);
  },
);
