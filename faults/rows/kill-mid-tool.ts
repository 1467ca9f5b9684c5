import { isAlive } from '../../packages/server/src/postgres/process-identity.ts';
import { effectKey } from '../deployment/plan.ts';
import { largest } from '../statistics.ts';
import { countRounds, type Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

/** So long that all tools still run when the last one has started. */
const toolMs = (chats: number): number => Math.max(4000, 300 * chats);

export const killMidTool: Row = {
  name: 'kill -9 mid-tool',
  guarantee: 'at most one effect per call; no orphaned child processes',
  chats: 8,
  seconds: { round: 20 },
  run: ({ bus, postgres, rounds, chats: count, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const waits: number[] = [];
      let orphans = 0;
      let children = 0;
      for (const round of countRounds({ rounds, log })) {
        const turn = (tool: string) => [{ call: { tool, ms: toolMs(count) } }, { chunks: 3 }];
        const conversations = [
          ...(await cluster.beginAll(Math.ceil(count / 2), turn('count'))),
          ...(await cluster.beginAll(Math.floor(count / 2), turn('child'))),
        ];
        const keys = conversations.map(({ last }) => effectKey(last.id, 0));
        await cluster.eventually('all tools have started', async () => {
          const started = new Set((await deployment.effects()).map(({ key }) => key));
          return keys.every((key) => started.has(key));
        });
        const victim = await deployment.ownerOf(conversations.at(-1)?.chatId ?? '');
        const chats = await witness.chatsOf(victim.workerId);
        const killedAt = Date.now();
        await victim.replica.kill();
        const own = (await deployment.effects()).flatMap(({ pid, child, key }) =>
          pid === victim.replica.pid && child !== undefined && keys.includes(key) ? [child] : [],
        );
        children += own.length;
        await cluster.eventually(
          'child processes have exited with their replica',
          () => !own.some(isAlive),
          500,
        );
        orphans += own.filter(isAlive).length;
        const taken = await cluster.takenOver(chats, killedAt);
        waits.push(...taken.map(({ at }) => at - killedAt));
        log(`round ${round}: ${chats.length} of ${conversations.length} calls were killed`);
        await cluster.eventually('all turns are answered', () =>
          conversations.every((one) => one.isAnswered()),
        );
        await deployment.replace(victim);
        await cluster.retire();
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, largest(waits), 'takeover');
      return {
        ...(await cluster.check(rounds * count)),
        times: { takeover: waits },
        figures: [`orphaned child processes ${orphans} of ${children}`],
      };
    }),
};
