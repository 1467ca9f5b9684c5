import { startProxy } from '../../packages/server/test/bus/proxy.ts';
import { ms, percentile } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

const SLOW = 10;
const VANISHING = 10;
/** More than the buffers of the kernel hold, and far more than a part buffer. */
const BULKY = { say: 200, bulk: 20_000, pace: 20 };
const BOUND_MEGABYTES = 200;

export const slowClients: Row = {
  name: 'slow and vanishing clients',
  mustHold: 'bounded memory; other clients unaffected; the slow ones catch up',
  run: ({ bus, postgres, say }) =>
    withCluster(
      { bus, postgres, limits: { max_response_bytes: 8 * 1024 ** 2 } },
      async (cluster) => {
        const { deployment } = cluster;
        const [first] = deployment.members;
        if (first === undefined) throw new Error('no replica');
        const startedAt = Date.now();
        // Those who read are on the same replica as those who do not.
        const here = { chooseUrl: () => first.replica.url };
        const load = await cluster.load({ conversations: 4, watch: here });
        await cluster.progress(load, 8);
        const before = await first.replica.memoryMegabytes();
        const bulky = await cluster.begin([BULKY], here);
        const slow = Array.from({ length: SLOW }, () => cluster.watch(bulky.chatId, here));
        // Packets of these go nowhere: no farewell, no reset.
        const { port } = new URL(first.replica.url);
        const nowhere = await startProxy({ host: '127.0.0.1', port: Number(port) });
        const vanishing = Array.from({ length: VANISHING }, () =>
          cluster.watch(bulky.chatId, { chooseUrl: () => `http://127.0.0.1:${nowhere.port}` }),
        );
        await cluster.eventually('all watch', () =>
          [...slow, ...vanishing].every(({ view }) => view.events > 0),
        );
        for (const viewer of slow) viewer.pause();
        nowhere.cut();
        let most = before;
        await cluster.eventually(
          'a viewer that reads gets the whole answer',
          async () => {
            most = Math.max(most, await first.replica.memoryMegabytes());
            return bulky.isAnswered();
          },
          60_000,
        );
        const lags = await staleness(
          deployment.witness,
          load.conversations.map(({ viewer }) => viewer),
          startedAt,
          Date.now(),
        );
        say(`memory ${Math.round(before)} MB before, ${Math.round(most)} MB at most`);
        cluster.expect(
          most - before < BOUND_MEGABYTES,
          `memory grew by ${Math.round(most - before)} MB`,
        );
        for (const viewer of slow) viewer.resume();
        // Those who vanished come back, as a client does whose network is there again.
        nowhere.terminate();
        const problems = await cluster.verdict(8);
        await nowhere.close();
        const wrong = [...slow, ...vanishing].reduce((sum, { view }) => sum + view.wrong.length, 0);
        const caughtUp = slow.filter(({ view }) => view.status === 'waiting').length;
        return {
          figure: `lost/duplicated events ${wrong}, ${caughtUp} of ${SLOW} slow viewers caught up, memory +${Math.round(most - before)} MB, others' lag p99 ${ms(percentile(lags, 99))}`,
          problems,
        };
      },
    ),
};
