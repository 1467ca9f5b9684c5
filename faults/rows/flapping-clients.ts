import { percentile, ms } from '../statistics.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

const FLAPPERS = 24;
const RECONNECTS = 10_000;

export const flappingClients: Row = {
  name: 'flapping clients',
  guarantee: 'other clients unaffected; every event exactly once after reconnects to any replica',
  run: ({ bus, postgres, log }) => flap({ bus, postgres }, RECONNECTS, log),
};

/** Viewers disconnect after a few events and reconnect to the other replica, `reconnects` times in total. */
export function flap(
  options: Parameters<typeof withCluster>[0],
  reconnects: number,
  log: (line: string) => void,
): Promise<{ figure: string; problems: string[] }> {
  return withCluster(options, async (cluster) => {
    const { deployment } = cluster;
    const startedAt = Date.now();
    const load = await cluster.load({ conversations: 8 });
    const steady = load.conversations.map(({ viewer }) => viewer);
    const flappers = Array.from({ length: FLAPPERS }, (_, index) => {
      let connection = index;
      return cluster.watch(steady[index % steady.length]?.chatId ?? '', {
        chooseUrl: () => deployment.urls[(connection += 1) % deployment.urls.length],
        disconnectAfter: (count) => 1 + ((count * 7 + index * 3) % 6),
      });
    });
    const connections = () => flappers.reduce((sum, one) => sum + one.connections, 0);
    let logged = 0;
    await cluster.eventually(
      `${reconnects} reconnects`,
      () => {
        const tenth = Math.floor((connections() * 10) / reconnects);
        if (tenth > logged) log(`${connections()} connections, ${load.answered} turns`);
        logged = Math.max(logged, tenth);
        return connections() >= reconnects;
      },
      20 * 60_000,
    );
    const endedAt = Date.now();
    const problems = await cluster.check(Math.min(load.answered, 8));
    const lags = await staleness(deployment.witness, steady, startedAt, endedAt);
    const events = flappers.reduce((sum, { view }) => sum + view.events, 0);
    const wrong = flappers.reduce((sum, { view }) => sum + view.violations.length, 0);
    return {
      figure: `lost/duplicated events ${wrong} in ${connections().toLocaleString('en')} connections (${events.toLocaleString('en')} events); lag of other viewers p99 ${ms(percentile(lags, 99))}`,
      problems,
    };
  });
}
