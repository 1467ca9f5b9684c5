import { percentile } from '../statistics.ts';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const HAND_OVER_BOUND_MS = 1000;

export const cleanShutdown: Row = {
  name: 'clean shutdown under load',
  guarantee: 'every chat is handed over immediately',
  chats: 12,
  seconds: { round: 9 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const load = await cluster.load({
        conversations: chats,
        turns: [
          [{ chunks: 40, paceMs: 50 }],
          [
            { chunks: 20, paceMs: 50, call: { tool: 'count', ms: 300 } },
            { chunks: 10, paceMs: 50 },
          ],
        ],
      });
      const waits: number[] = [];
      for (const round of countRounds({ rounds, log })) {
        await cluster.progress(load, chats / 2);
        const stopping = deployment.members[round % deployment.members.length];
        if (stopping === undefined) throw new Error('no replica');
        await cluster.eventually(
          'the replica runs a chat',
          async () => (await witness.chatsOf(stopping.workerId)).length > 0,
        );
        const stoppedAt = Date.now();
        const code = await stopping.replica.stop();
        cluster.expect(code === 0, `the replica exited with code ${code}`);
        const endedAt = Date.now();
        await cluster.eventually(
          'all its chats have other owners',
          async () => (await witness.chatsOf(stopping.workerId)).length === 0,
        );
        const taken = (await witness.handOvers(stoppedAt)).filter(
          ({ from_worker }) => from_worker === stopping.workerId,
        );
        waits.push(...taken.map(({ at }) => at - stoppedAt));
        const takeovers = await witness.takeovers(stoppedAt);
        cluster.expect(takeovers.length === 0, `${takeovers.length} chats waited for lease expiry`);
        log(
          `round ${round}: ${taken.length} chats handed over, exit after ${endedAt - stoppedAt} ms`,
        );
        await deployment.replace(stopping);
      }
      cluster.expect(waits.length > 0, 'no chat was handed over');
      cluster.expectWithin(HAND_OVER_BOUND_MS, percentile(waits, 99), 'hand-over p99');
      const verdict = await cluster.check((rounds * chats) / 2);
      return { ...verdict, times: { 'hand-over from SIGTERM': waits } };
    }),
};
