import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import type { Row } from '../../../../faults/row.ts';
import { databaseRestart } from '../../../../faults/rows/database-restart.ts';
import { flap } from '../../../../faults/rows/flapping-clients.ts';
import { frozenOwner } from '../../../../faults/rows/frozen-owner.ts';
import { killMidStream } from '../../../../faults/rows/kill-mid-stream.ts';
import { listenCut } from '../../../../faults/rows/lost-listen.ts';
import { disturb } from '../../../../faults/rows/noisy-neighbor.ts';

/*
 * A part of `npm run faults`: two replicas as processes of their own, with a lease of two seconds. How long anything
 * takes is measured there; here it only has to happen, and every promise has to hold.
 */
const TIMEOUT_MS = 240_000;
const RECONNECTS = 300;

// Its own, since it is crashed. Crashes of the database need no disk that survives those of the machine.
const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
afterAll(() => postgres.stop());

const problemsOf = async (row: Row) => {
  const outcome = await row.run({ bus: 'postgres', postgres, rounds: 1, say: () => undefined });
  return outcome.problems;
};

test(
  'after kill -9 of its owner mid-stream a chat goes on elsewhere, and its viewers see one answer',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(killMidStream)).toEqual([]),
);

test(
  'an owner that was frozen past its lease commits nothing and stops its tools',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(frozenOwner)).toEqual([]),
);

test(
  'a crash of PostgreSQL loses nothing that was acknowledged, and takes no chat from its owner',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(databaseRestart)).toEqual([]),
);

test(
  'a replica whose LISTEN connection is silently cut shows everything all the same, and hears again',
  { timeout: TIMEOUT_MS },
  async () => expect(await problemsOf(listenCut)).toEqual([]),
);

test(
  `clients that leave and come back ${RECONNECTS} times, to either replica, see everything once`,
  { timeout: TIMEOUT_MS },
  async () => {
    const { problems } = await flap({ bus: 'postgres', postgres }, RECONNECTS, () => undefined);
    expect(problems).toEqual([]);
  },
);

test(
  'beside a member who does everything expensive at once, other members are served and no lease is lost',
  { timeout: TIMEOUT_MS },
  async () => {
    const scale = { messages: 2000, quietMs: 1000, noisyMs: 6000, intensity: 0.2 };
    const { problems } = await disturb({ bus: 'postgres', postgres, say: () => undefined }, scale);
    expect(problems).toEqual([]);
  },
);
