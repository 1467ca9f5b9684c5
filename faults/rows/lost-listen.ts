import type { Proxy } from '../../packages/server/test/bus/proxy.ts';
import { ms, percentile, spread } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

/** A stream asks the database by itself this often, when nobody tells it of changes. */
const POLL_MS = 3000;
const BOUND_MS = POLL_MS + 1000;
/** Until all channels are listened to on the new connection. */
const AFTERMATH_MS = 500;
/** With hints, on a machine that is busy. */
const AGAIN_MS = 1000;

/** One replica's way to the bus is lost, while all its viewers want to know what happens on the other. */
const lostListen = (name: string, lose: (way: Proxy) => void): Row => ({
  name,
  mustHold: 'hints resume; until then the sweep repairs',
  run: ({ bus, postgres, rounds, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const [deaf] = deployment.members;
      if (deaf === undefined) throw new Error('no replica');
      const load = await cluster.load({
        conversations: 6,
        watch: { chooseUrl: () => deaf.replica.url },
      });
      const viewers = load.conversations.map(({ viewer }) => viewer);
      const during: number[] = [];
      const after: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        await cluster.progress(load, 6);
        const connections = deaf.way.connections;
        const lostAt = Date.now();
        lose(deaf.way);
        await cluster.eventually(
          'the connection was replaced',
          () => deaf.way.connections > connections,
        );
        const backAt = Date.now();
        await cluster.progress(load, 6);
        // What was committed last while nobody listened has to be seen too.
        const newest = await witness.newestAt(backAt);
        await cluster.eventually('viewers have seen what they missed', () =>
          viewers.every(
            ({ chatId, view }) => (view.lastMessage?.id ?? 0) >= (newest.get(chatId) ?? 0),
          ),
        );
        const endAt = Date.now();
        during.push(...(await staleness(witness, viewers, lostAt, backAt + AFTERMATH_MS)));
        after.push(...(await staleness(witness, viewers, backAt + AFTERMATH_MS, endAt)));
        say(`round ${round}: deaf for ${backAt - lostAt} ms`);
      }
      const worst = Math.max(0, ...during);
      cluster.expectWithin(BOUND_MS, worst, 'showing a message without hints');
      cluster.expectWithin(
        AGAIN_MS,
        percentile(after, 99),
        'showing a message with hints again, p99,',
      );
      const problems = await cluster.verdict(rounds * 12);
      return {
        figure: `staleness ${spread(during)}; afterwards p99 ${ms(percentile(after, 99))}`,
        problems,
        late: cluster.late,
      };
    }),
});

export const listenTerminated = lostListen('LISTEN or NATS connection terminated', (way) =>
  way.terminate(),
);
export const listenCut = lostListen('LISTEN or NATS connection silently cut', (way) => way.cut());
