import type { Proxy } from '@chatd/test-server/programs';
import { largest, percentile } from '../statistics.ts';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

/** Interval at which streams poll the database without notifications. */
const POLL_MS = 3000;
const BOUND_MS = POLL_MS + 1000;
/** Time until the new connection listens on all channels. */
const RECOVERY_MS = 500;
/** Limit with notifications, on a loaded machine. */
const RECOVERED_BOUND_MS = 1000;

/** One replica loses its bus connection. All viewers are connected to it, and chats also run on the other replica. */
const lostListen = (name: string, lose: (proxy: Proxy) => void): Row => ({
  name,
  guarantee: 'notifications resume; streams poll until then',
  chats: 6,
  seconds: { round: 13 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const [isolated] = deployment.members;
      if (isolated === undefined) throw new Error('no replica');
      const load = await cluster.load({
        conversations: chats,
        watch: { chooseUrl: () => isolated.replica.url },
      });
      const during: number[] = [];
      const after: number[] = [];
      for (const round of countRounds({ rounds, log })) {
        await cluster.progress(load, chats);
        const connections = isolated.busProxy.connections;
        const lostAt = Date.now();
        lose(isolated.busProxy);
        await cluster.eventually(
          'the replica has reconnected',
          () => isolated.busProxy.connections > connections,
        );
        const backAt = Date.now();
        await cluster.progress(load, chats);
        // Messages committed during the outage must also arrive.
        const newest = await witness.newestAt(backAt);
        await cluster.eventually('viewers have received the missed messages', () =>
          load.viewers.every(
            ({ chatId, view }) => (view.lastMessage?.id ?? 0) >= (newest.get(chatId) ?? 0),
          ),
        );
        const endAt = Date.now();
        during.push(...(await staleness(witness, load.viewers, lostAt, backAt + RECOVERY_MS)));
        after.push(...(await staleness(witness, load.viewers, backAt + RECOVERY_MS, endAt)));
        log(`round ${round}: outage of ${backAt - lostAt} ms`);
      }
      cluster.expectWithin(BOUND_MS, largest(during), 'delivery without notifications');
      cluster.expectWithin(
        RECOVERED_BOUND_MS,
        percentile(after, 99),
        'delivery after recovery, p99,',
      );
      return {
        ...(await cluster.check(2 * rounds * chats)),
        times: { staleness: during, 'staleness afterwards': after },
      };
    }),
});

export const listenTerminated = lostListen('LISTEN or NATS connection terminated', (bus) =>
  bus.terminate(),
);
export const listenCut = lostListen('LISTEN or NATS connection silently cut', (bus) => bus.cut());
