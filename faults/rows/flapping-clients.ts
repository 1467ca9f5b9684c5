import { countRounds, type Outcome, type Row, type RowContext } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

const FLAPPERS_PER_CHAT = 3;
/** In each round. */
const RECONNECTS = 2000;
const TIMEOUT_MS = 20 * 60_000;

export const flappingClients: Row = {
  name: 'flapping clients',
  guarantee: 'other clients unaffected; every event exactly once after reconnects to any replica',
  chats: 8,
  seconds: { round: 12 },
  run: (context) => flap(context, RECONNECTS),
};

/** Viewers disconnect after a few events and reconnect to the other replica, `reconnects` times in each round. */
export const flap = (
  { bus, postgres, rounds, chats, log }: RowContext,
  reconnects: number,
): Promise<Outcome> =>
  withCluster({ bus, postgres }, async (cluster) => {
    const { deployment } = cluster;
    const startedAt = Date.now();
    // The flapping viewers stay with their chats.
    const load = await cluster.load({ conversations: chats, turnsPerChat: Infinity });
    const steady = load.viewers;
    const flappers = Array.from({ length: FLAPPERS_PER_CHAT * chats }, (_, index) => {
      let connection = index;
      return cluster.watch(steady[index % steady.length]?.chatId ?? '', {
        chooseUrl: () => deployment.urls[(connection += 1) % deployment.urls.length],
        disconnectAfter: (count) => 1 + ((count * 7 + index * 3) % 6),
      });
    });
    const connections = () => flappers.reduce((sum, one) => sum + one.connections, 0);
    for (const round of countRounds({ rounds, log })) {
      await cluster.eventually(
        `${reconnects} reconnects`,
        () => connections() >= round * reconnects,
        TIMEOUT_MS,
      );
    }
    const lags = await staleness(deployment.witness, steady, startedAt, Date.now());
    return {
      ...(await cluster.check(Math.min(load.answered, chats))),
      times: { 'lag of other viewers': lags },
      figures: [`${connections().toLocaleString('en')} connections`],
    };
  });
