import { randomUUID } from 'node:crypto';
import { planText } from '../deployment/plan.ts';
import { ms } from '../figures.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const CHATS = 1000;
const AT_ONCE = 20;

export const race: Row = {
  name: 'two replicas race for 1,000 chats',
  mustHold: 'one owner each',
  run: ({ bus, postgres, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, model } = deployment;
      const racers = [...deployment.members];
      // One more that only serves, so that there is somebody to post to.
      const { replica: desk } = await deployment.join({ concurrency: 0 });
      for (const { replica } of racers) replica.freeze();
      const ids = Array.from({ length: CHATS }, () => `m-${randomUUID()}`);
      const headers = { ...deployment.api.headers, 'content-type': 'application/json' };
      for (let from = 0; from < CHATS; from += AT_ONCE) {
        await Promise.all(
          ids.slice(from, from + AT_ONCE).map(async (id) => {
            const content = planText({ id, steps: [{ say: 2 }] });
            const response = await fetch(`${desk.url}/api/v1/chats`, {
              method: 'POST',
              headers,
              body: JSON.stringify({ content, title: 'Race' }),
            });
            if (response.status !== 201) throw new Error(`POST /chats: ${response.status}`);
            await response.arrayBuffer();
          }),
        );
      }
      const startedAt = Date.now();
      for (const { replica } of racers) replica.thaw();
      await cluster.eventually(
        'all chats have run',
        async () => (await witness.busyChats()).length === 0,
        120_000,
      );
      const took = Date.now() - startedAt;
      const shares = await witness.query<{ worker: string; chats: number }>(
        `SELECT worker, count(*)::int AS chats FROM witness.moves
          WHERE runner IS NOT NULL AND old_runner IS NULL GROUP BY worker`,
      );
      const [twice] = await witness.query<{ count: number }>(
        `SELECT count(*)::int FROM (
           SELECT chat_id FROM witness.moves
            WHERE runner IS NOT NULL AND runner IS DISTINCT FROM old_runner
            GROUP BY chat_id HAVING count(*) > 1) AS more`,
      );
      const doubles = twice?.count ?? 0;
      const asked = ids.filter((id) => model.asked(id, 0) !== 1).length;
      cluster.expect(doubles === 0, `${doubles} chats were acquired more than once`);
      cluster.expect(asked === 0, `the model was not asked exactly once for ${asked} chats`);
      const each = shares.map(({ chats }) => chats).join(' + ');
      say(`${each} chats, all done in ${ms(took)}`);
      const problems = await cluster.verdict(CHATS);
      return {
        figure: `double acquisitions ${doubles} (${each} chats, all in ${ms(took)})`,
        problems,
      };
    }),
};
