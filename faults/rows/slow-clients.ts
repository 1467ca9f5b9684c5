import { startProxy } from '@chatd/test-server/programs';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

const SLOW = 10;
const VANISHING = 10;
/** Larger than the socket buffers and the part buffer. */
const LARGE = { chunks: 200, chunkBytes: 20_000, paceMs: 20 };
const BOUND_MEGABYTES = 200;

export const slowClients: Row = {
  name: 'slow and vanishing clients',
  guarantee: 'bounded memory; other clients unaffected; slow clients catch up',
  chats: 4,
  seconds: { round: 20 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster(
      { bus, postgres, limits: { max_response_bytes: 8 * 1024 ** 2 } },
      async (cluster) => {
        const { deployment } = cluster;
        const [first] = deployment.members;
        if (first === undefined) throw new Error('no replica');
        // Fast and slow viewers connect to the same replica.
        const here = { chooseUrl: () => first.replica.url };
        const load = await cluster.load({ conversations: chats, watch: here });
        const lags: number[] = [];
        let caughtUp = 0;
        let grown = 0;
        for (const round of countRounds({ rounds, log })) {
          const startedAt = Date.now();
          await cluster.progress(load, 2 * chats);
          const before = await first.replica.memoryMegabytes();
          const large = await cluster.begin([LARGE], here);
          const slow = Array.from({ length: SLOW }, () => cluster.watch(large.chatId, here));
          // The proxy drops all packets of these viewers, without FIN or RST.
          const { port } = new URL(first.replica.url);
          const proxy = await startProxy({ host: '127.0.0.1', port: Number(port) });
          const vanishing = Array.from({ length: VANISHING }, () =>
            cluster.watch(large.chatId, { chooseUrl: () => `http://127.0.0.1:${proxy.port}` }),
          );
          await cluster.eventually('all viewers are connected', () =>
            [...slow, ...vanishing].every(({ view }) => view.events > 0),
          );
          for (const viewer of slow) viewer.pause();
          proxy.cut();
          let most = before;
          await cluster.eventually('the reading viewer has the complete answer', async () => {
            most = Math.max(most, await first.replica.memoryMegabytes());
            return large.isAnswered();
          });
          lags.push(...(await staleness(deployment.witness, load.viewers, startedAt, Date.now())));
          const more = Math.round(most - before);
          grown = Math.max(grown, more);
          log(
            `round ${round}: memory ${Math.round(before)} MB before, peak ${Math.round(most)} MB`,
          );
          cluster.expect(more < BOUND_MEGABYTES, `memory grew by ${more} MB`);
          for (const viewer of slow) viewer.resume();
          // The vanished viewers reconnect.
          proxy.terminate();
          await cluster.retire();
          await proxy.close();
          caughtUp += slow.filter(({ view }) => view.status === 'waiting').length;
        }
        return {
          ...(await cluster.check(2 * rounds * chats)),
          times: { 'lag of other viewers': lags },
          figures: [
            `${caughtUp} of ${rounds * SLOW} slow viewers caught up`,
            `memory +${grown} MB`,
          ],
        };
      },
    ),
};
