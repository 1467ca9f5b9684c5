import { isAlive } from '../../packages/server/src/postgres/process-identity.ts';
import { effectKey } from '../deployment/plan.ts';
import { spread } from '../statistics.ts';
import type { Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

const EACH = 4;
const TOOL_MS = 4000;

export const killMidTool: Row = {
  name: 'kill -9 mid-tool',
  guarantee: 'at most one effect per call; no orphaned child processes',
  run: ({ bus, postgres, rounds, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness } = deployment;
      const waits: number[] = [];
      let calls = 0;
      let orphans = 0;
      let children = 0;
      for (let round = 1; round <= rounds; round += 1) {
        const turn = (tool: string) => [{ call: { tool, ms: TOOL_MS } }, { chunks: 3 }];
        const conversations = [
          ...(await cluster.beginAll(EACH, turn('count'))),
          ...(await cluster.beginAll(EACH, turn('child'))),
        ];
        const keys = conversations.map(({ last }) => effectKey(last.id, 0));
        calls += keys.length;
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
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, Math.max(...waits), 'takeover');
      const problems = await cluster.check(rounds * EACH * 2);
      const doubles = problems.filter((one) => one.startsWith('effectsAtMostOnce')).length;
      return {
        figure: `double effects ${doubles} of ${calls} calls, orphans ${orphans} of ${children}, takeover ${spread(waits)}`,
        problems,
        late: cluster.late,
      };
    }),
};
