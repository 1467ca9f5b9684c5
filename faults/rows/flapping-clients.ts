import { percentile, ms } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { staleness } from '../staleness.ts';

const FLAPPERS = 24;
const RECONNECTS = 10_000;

export const flappingClients: Row = {
  name: 'flapping clients',
  mustHold: 'other clients unaffected; exactly-once after reconnect, on any replica',
  run: ({ bus, postgres, say }) => flap({ bus, postgres }, RECONNECTS, say),
};

/** Viewers that leave after a few events and come back to the other replica, until there were so many connections. */
export function flap(
  options: Parameters<typeof withCluster>[0],
  reconnects: number,
  say: (line: string) => void,
): Promise<{ figure: string; problems: string[] }> {
  return withCluster(options, async (cluster) => {
    const { deployment } = cluster;
    const startedAt = Date.now();
    const load = await cluster.load({ conversations: 8 });
    const calm = load.conversations.map(({ viewer }) => viewer);
    const flappers = Array.from({ length: FLAPPERS }, (_, index) => {
      let connection = index;
      return cluster.watch(calm[index % calm.length]?.chatId ?? '', {
        // To and fro between the replicas.
        chooseUrl: () => deployment.urls[(connection += 1) % deployment.urls.length],
        leaveAfter: (count) => 1 + ((count * 7 + index * 3) % 6),
      });
    });
    const connections = () => flappers.reduce((sum, one) => sum + one.connections, 0);
    let told = 0;
    await cluster.eventually(
      `${reconnects} reconnects`,
      () => {
        const tenth = Math.floor((connections() * 10) / reconnects);
        if (tenth > told) say(`${connections()} connections, ${load.answered} turns`);
        told = Math.max(told, tenth);
        return connections() >= reconnects;
      },
      20 * 60_000,
    );
    const endedAt = Date.now();
    const problems = await cluster.verdict(Math.min(load.answered, 8));
    const lags = await staleness(deployment.witness, calm, startedAt, endedAt);
    const events = flappers.reduce((sum, { view }) => sum + view.events, 0);
    const wrong = flappers.reduce((sum, { view }) => sum + view.wrong.length, 0);
    return {
      figure: `lost/duplicated events ${wrong} in ${connections().toLocaleString('en')} connections (${events.toLocaleString('en')} events); calm viewers' lag p99 ${ms(percentile(lags, 99))}`,
      problems,
    };
  });
}
