import { startProxy } from '@chatd/test-server/programs';
import { ms, percentile } from '../statistics.ts';
import type { Row } from '../row.ts';
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
  run: ({ bus, postgres, log }) =>
    withCluster(
      { bus, postgres, limits: { max_response_bytes: 8 * 1024 ** 2 } },
      async (cluster) => {
        const { deployment } = cluster;
        const [first] = deployment.members;
        if (first === undefined) throw new Error('no replica');
        const startedAt = Date.now();
        // Fast and slow viewers connect to the same replica.
        const here = { chooseUrl: () => first.replica.url };
        const load = await cluster.load({ conversations: 4, watch: here });
        await cluster.progress(load, 8);
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
        await cluster.eventually(
          'the reading viewer has the complete answer',
          async () => {
            most = Math.max(most, await first.replica.memoryMegabytes());
            return large.isAnswered();
          },
          60_000,
        );
        const lags = await staleness(
          deployment.witness,
          load.conversations.map(({ viewer }) => viewer),
          startedAt,
          Date.now(),
        );
        log(`memory ${Math.round(before)} MB before, peak ${Math.round(most)} MB`);
        cluster.expect(
          most - before < BOUND_MEGABYTES,
          `memory grew by ${Math.round(most - before)} MB`,
        );
        for (const viewer of slow) viewer.resume();
        // The vanished viewers reconnect.
        proxy.terminate();
        const problems = await cluster.check(8);
        await proxy.close();
        const wrong = [...slow, ...vanishing].flatMap(({ view }) => view.violations).length;
        const caughtUp = slow.filter(({ view }) => view.status === 'waiting').length;
        return {
          figure: `lost/duplicated events ${wrong}, ${caughtUp} of ${SLOW} slow viewers caught up, memory +${Math.round(most - before)} MB, lag of other viewers p99 ${ms(percentile(lags, 99))}`,
          problems,
        };
      },
    ),
};
