import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const WRITE_EVERY_MS = 20;

export const databaseRestart: Row = {
  name: 'PostgreSQL restart -m immediate',
  guarantee: 'acknowledged writes survive; no chat is taken from a live owner',
  chats: 6,
  seconds: { round: 10 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, api } = deployment;
      const load = await cluster.load({ conversations: chats });
      const [first] = load.conversations;
      const startedAt = Date.now();
      const outages: number[] = [];
      const own: number[] = [];
      for (const round of countRounds({ rounds, log })) {
        await cluster.progress(load, chats);
        const writing = new AbortController();
        const writes = keepWriting(`/chats/${first?.chatId}`, api, writing.signal);
        const crashedAt = Date.now();
        await postgres.crash();
        await postgres.start();
        const readyAt = Date.now();
        await cluster.eventually('writes are acknowledged again', () =>
          api.attempts.some(({ at, status }) => at > readyAt && status === 200),
        );
        writing.abort();
        const { title, acknowledgedAt } = await writes;
        const back = acknowledgedAt.find((at) => at > readyAt) ?? Number.NaN;
        const lastBefore = acknowledgedAt.findLast((at) => at <= crashedAt) ?? crashedAt;
        outages.push(back - lastBefore);
        own.push(readyAt - crashedAt);
        const [row] = await witness.query<{ title: string }>(
          'SELECT title FROM chats WHERE id = $1',
          [first?.chatId],
        );
        cluster.expect(
          row?.title === title,
          `the last acknowledged title ${title} is not stored`,
          'lost',
        );
        log(
          `round ${round}: PostgreSQL unavailable for ${readyAt - crashedAt} ms, writes for ${back - lastBefore} ms`,
        );
        // Two more leases: takeovers caused by the restart would have happened by then.
        await cluster.eventually('heartbeats of all workers for two leases', async () => {
          const heartbeats = await witness.heartbeats();
          return heartbeats.every((at) => at > readyAt + 2 * LEASE_SECONDS * 1000);
        });
      }
      await cluster.progress(load, chats);
      const stolen = await witness.takeovers(startedAt);
      cluster.expect(stolen.length === 0, `${stolen.length} chats were taken from live owners`);
      return {
        ...(await cluster.check(rounds * chats)),
        times: { outage: outages, 'outage of PostgreSQL itself': own },
        figures: [`stolen chats ${stolen.length}`],
      };
    }),
};

/** Small writes, which only an unavailable database delays. */
async function keepWriting(
  path: string,
  api: { patch(path: string, body: unknown): Promise<unknown> },
  signal: AbortSignal,
): Promise<{ title: string; acknowledgedAt: number[] }> {
  const acknowledgedAt: number[] = [];
  let title = '';
  for (let count = 1; !signal.aborted; count += 1) {
    await api.patch(path, { title: `write ${count}` });
    title = `write ${count}`;
    acknowledgedAt.push(Date.now());
    await sleep(WRITE_EVERY_MS);
  }
  return { title, acknowledgedAt };
}
