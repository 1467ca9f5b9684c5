import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { ms, percentile } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const WRITE_EVERY_MS = 20;

export const databaseRestart: Row = {
  name: 'PostgreSQL restart -m immediate',
  mustHold: 'acknowledged writes survive; no live chat is taken from its owner',
  run: ({ bus, postgres, rounds, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, api } = deployment;
      const load = await cluster.load({ conversations: 6 });
      const [first] = load.conversations;
      const startedAt = Date.now();
      const outages: number[] = [];
      const own: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        await cluster.progress(load, 6);
        const writing = new AbortController();
        const writes = keepWriting(`/chats/${first?.chatId}`, api, writing.signal);
        const crashedAt = Date.now();
        await postgres.crash();
        await postgres.start();
        const readyAt = Date.now();
        await cluster.eventually('writes are acknowledged again', () =>
          api.tries.some(({ at, status }) => at > readyAt && status === 200),
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
        cluster.expect(row?.title === title, `the last acknowledged title ${title} is not stored`);
        say(
          `round ${round}: PostgreSQL was away for ${readyAt - crashedAt} ms, writes for ${back - lastBefore} ms`,
        );
        // Two more leases: whoever would lose a chat to the restart has lost it by then.
        await cluster.eventually('all workers were heard of for two leases', async () => {
          const heard = await witness.heardOf();
          return heard.every((at) => at > readyAt + 2 * LEASE_SECONDS * 1000);
        });
      }
      await cluster.progress(load, 6);
      const stolen = await witness.takeovers(startedAt);
      cluster.expect(stolen.length === 0, `${stolen.length} chats were taken from living owners`);
      const problems = await cluster.verdict(rounds * 6);
      return {
        figure: `outage p50 ${ms(percentile(outages, 50))}, max ${ms(Math.max(...outages))} (of PostgreSQL itself ${ms(percentile(own, 50))}, ${ms(Math.max(...own))}), stolen chats ${stolen.length}`,
        problems,
      };
    }),
};

/** Writes that are so small that only the database's absence can delay them. */
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
