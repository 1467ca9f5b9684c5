import { ms, percentile } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const HAND_OVER_BOUND_MS = 1000;

export const cleanShutdown: Row = {
  name: 'clean shutdown under load',
  mustHold: 'every chat goes on elsewhere at once',
  run: ({ bus, postgres, rounds, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const load = await cluster.load({
        conversations: 12,
        turns: [
          [{ say: 40, pace: 50 }],
          [
            { say: 20, pace: 50, call: { tool: 'count', ms: 300 } },
            { say: 10, pace: 50 },
          ],
        ],
      });
      const waits: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        await cluster.progress(load, 6);
        const leaver = deployment.members[round % deployment.members.length];
        if (leaver === undefined) throw new Error('no replica');
        await cluster.eventually(
          'the replica runs something',
          async () => (await witness.chatsOf(leaver.workerId)).length > 0,
        );
        const askedAt = Date.now();
        const code = await leaver.replica.stop();
        cluster.expect(code === 0, `the replica ended with ${code}`);
        const endedAt = Date.now();
        await cluster.eventually(
          'all of its chats run elsewhere',
          async () => (await witness.chatsOf(leaver.workerId)).length === 0,
        );
        const taken = (await witness.handOvers(askedAt)).filter(
          ({ from_worker }) => from_worker === leaver.workerId,
        );
        waits.push(...taken.map(({ at }) => at - askedAt));
        const takeovers = await witness.takeovers(askedAt);
        cluster.expect(
          takeovers.length === 0,
          `${takeovers.length} chats had to wait for the lease`,
        );
        say(`round ${round}: ${taken.length} chats handed over, ended in ${endedAt - askedAt} ms`);
        await deployment.replace(leaver);
      }
      cluster.expect(waits.length > 0, 'no chat was handed over');
      const p99 = percentile(waits, 99);
      cluster.expectWithin(HAND_OVER_BOUND_MS, p99, 'hand-over, p99,');
      const problems = await cluster.verdict(rounds * 6);
      return {
        figure: `hand-over p50 ${ms(percentile(waits, 50))}, p99 ${ms(p99)} from SIGTERM (of ${waits.length})`,
        problems,
        late: cluster.late,
      };
    }),
};
