import { randomUUID } from 'node:crypto';
import { formatPlan } from '../deployment/plan.ts';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const CHATS = 1000;
const CONCURRENCY = 20;

export const race: Row = {
  name: 'two replicas race for 1,000 chats',
  guarantee: 'one owner per chat',
  chats: CHATS,
  hasFixedSize: true,
  seconds: { round: 12 },
  run: ({ bus, postgres, rounds, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, model } = deployment;
      const racers = [...deployment.members];
      // A replica that only serves requests.
      const { replica: frontend } = await deployment.join({ concurrency: 0 });
      const finished: number[] = [];
      let repeated = 0;
      for (const _ of countRounds({ rounds, log })) {
        for (const { replica } of racers) replica.freeze();
        const ids = Array.from({ length: CHATS }, () => `m-${randomUUID()}`);
        const headers = { ...deployment.api.headers, 'content-type': 'application/json' };
        for (let from = 0; from < CHATS; from += CONCURRENCY) {
          await Promise.all(
            ids.slice(from, from + CONCURRENCY).map(async (id) => {
              const steps = [{ chunks: 2 }];
              const content = formatPlan({ id, steps });
              const response = await fetch(`${frontend.url}/api/v1/chats`, {
                method: 'POST',
                headers,
                body: JSON.stringify({ content, title: 'Race' }),
              });
              if (response.status !== 201) throw new Error(`POST /chats: ${response.status}`);
              const { id: chatId } = (await response.json()) as { id: string };
              cluster.acknowledged.push({ id, steps, chatId, at: Date.now() });
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
        finished.push(Date.now() - startedAt);
        repeated += ids.filter((id) => model.requestCount(id, 0) !== 1).length;
      }
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
      cluster.expect(doubles === 0, `${doubles} chats were acquired more than once`, 'doubled');
      cluster.expect(repeated === 0, `the model was not called exactly once for ${repeated} chats`);
      const each = shares.map(({ chats }) => chats).join(' + ');
      return {
        ...(await cluster.check(rounds * CHATS)),
        times: { 'all chats finished': finished },
        figures: [`double acquisitions ${doubles} (${each} chats)`],
      };
    }),
};
