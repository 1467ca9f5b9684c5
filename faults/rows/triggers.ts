import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster.ts';
import { withCluster } from '../cluster.ts';
import { checkTriggers, type SentDelivery, type StoredRun } from '../oracle/triggers.ts';
import { countRounds, type Row } from '../row.ts';
import { largest } from '../statistics.ts';

/** Thirty rounds are ten minutes and 2,010 deliveries. */
const ROUND_MS = 20_000;
const DELIVERIES_PER_ROUND = 67;
const RESTART_EVERY = 3;
const OFFSET_MS = 10 * 60_000;
const PAUSE_MS = 100;

interface Hook {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/**
 * Three replicas, one with a wrong clock. A schedule fires every second, and every delivery is sent one to three times at
 * once. Replicas are killed at random moments, and PostgreSQL crashes.
 */
export const triggers: Row = {
  name: 'triggers: replicas killed at random, PostgreSQL restarts, one clock off by 10 minutes',
  guarantee: 'every due second and every delivery has exactly one run, and no chat is stuck',
  chats: 5,
  seconds: { round: 20, setup: 15 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster(
      { bus, postgres, replicas: 3, clockOffsetsMs: [0, OFFSET_MS, 0] },
      async (cluster) => {
        const { deployment } = cluster;
        const { api, witness } = deployment;
        const common = { concurrency: 'parallel', max_failures: null };
        const schedule = await api.post<Scheduled>('/triggers', {
          ...common,
          kind: 'schedule',
          name: 'Every second',
          cron: '* * * * * *',
          prompt: 'Tick.',
        });
        // Signed with a time, which the replica with the wrong clock must accept.
        const hook = await api.post<Hook>('/triggers', {
          ...common,
          kind: 'webhook',
          name: 'Deliveries',
          prompt: 'Handle {{payload.number}}.',
          verify: { type: 'standard-webhooks' },
          chat: { continue: { key: '{{payload.key}}' } },
        });
        const sent: SentDelivery[] = [];
        let requests = 0;
        let kills = 0;
        let restarts = 0;
        for (const round of countRounds({ rounds, log })) {
          const endsAt = Date.now() + ROUND_MS;
          const deliveries = Array.from({ length: DELIVERIES_PER_ROUND }, async () => {
            const number = sent.length + 1;
            const delivery = { id: `delivery-${number}`, number, runs: new Set<string>() };
            sent.push(delivery);
            await sleep(Math.random() * ROUND_MS * 0.8);
            const copies = 1 + Math.floor(Math.random() * 3);
            requests += copies;
            const body = JSON.stringify({ number, key: `key ${number % chats}` });
            await Promise.all(
              Array.from({ length: copies }, async () =>
                delivery.runs.add(await deliver(cluster, hook, delivery.id, body)),
              ),
            );
          });
          await sleep(Math.random() * ROUND_MS * 0.3);
          const member = deployment.members[Math.floor(Math.random() * 3)];
          if (member === undefined) throw new Error('no replica');
          await member.replica.kill();
          kills += 1;
          await sleep(Math.random() * 2000);
          if (round % RESTART_EVERY === 1) {
            await postgres.crash();
            await postgres.start();
            restarts += 1;
          }
          await deployment.replace(member);
          await Promise.all(deliveries);
          await sleep(Math.max(0, endsAt - Date.now()));
          log(`round ${round}: ${sent.length} deliveries, ${kills} kills, ${restarts} restarts`);
        }
        const { next_fire_at: next } = await api.get<Scheduled>(`/triggers/${schedule.id}`);
        await api.patch(`/triggers/${schedule.id}`, { enabled: false });
        await cluster.eventually('all runs have ended', async () => {
          const [left] = await witness.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM trigger_runs WHERE status IN ('queued', 'started')`,
          );
          return left?.count === 0;
        });
        const runs = await witness.query<StoredRun & { trigger_id: string }>(
          `SELECT id, trigger_id, fire_time, delivery_id, status, chat_id, ended_at FROM trigger_runs`,
        );
        const ticks = runs.filter(({ trigger_id }) => trigger_id === schedule.id);
        const delivered = runs.filter(({ trigger_id }) => trigger_id === hook.id);
        // Every second from the creation of the trigger until it was disabled.
        const last = largest(ticks.map(({ fire_time }) => fire_time?.getTime() ?? 0));
        const due = secondsBetween(
          Date.parse(schedule.next_fire_at),
          Math.max(Date.parse(next) - 1000, last),
        );
        const { id, concurrency } = schedule;
        const chatRows = await witness.query<{ id: string; trigger_id: string }>(
          'SELECT id, trigger_id FROM chats WHERE trigger_id IS NOT NULL',
        );
        const problems = checkTriggers({
          schedules: [{ id, concurrency, due, runs: ticks }],
          hook: { sent, runs: delivered },
          // Runs in parallel need no order.
          chats: chatRows.map((chat) => ({ ...chat, begun: 0, rested: 0 })),
        });
        // A message without a run, or a run without its message, is in neither count.
        await expectMessages(cluster, id, ticks.length, ticks.length);
        await expectMessages(cluster, hook.id, sent.length, Math.min(chats, sent.length));
        const verdict = await cluster.check(ticks.length);
        return {
          ...verdict,
          problems: [...verdict.problems, ...problems],
          examined: { ...verdict.examined, deliveries: due.length + sent.length },
          figures: [
            `${due.length} due seconds: ${ticks.length} runs`,
            `${sent.length} deliveries in ${requests} requests: ${delivered.length} runs`,
            `${kills} kills, ${restarts} restarts of PostgreSQL`,
          ],
        };
      },
    ),
};

interface Scheduled {
  readonly id: string;
  readonly concurrency: string;
  readonly next_fire_at: string;
}

const secondsBetween = (first: number, last: number): Date[] =>
  Array.from(
    { length: Math.floor((last - first) / 1000) + 1 },
    (_, index) => new Date(first + index * 1000),
  );

/** Expects one message for every run of a trigger, in so many chats. */
async function expectMessages(
  cluster: Cluster,
  triggerId: string,
  runs: number,
  chats: number,
): Promise<void> {
  const [found] = await cluster.deployment.witness.query<{ chats: number; messages: number }>(
    `SELECT count(DISTINCT chats.id)::int AS chats, count(*)::int AS messages
       FROM chats JOIN messages ON messages.chat_id = chats.id
      WHERE chats.trigger_id = $1 AND messages.role = 'user'`,
    [triggerId],
  );
  const { messages = 0, chats: used = 0 } = found ?? {};
  const what = `${runs} runs have ${messages} messages in ${used} chats`;
  cluster.expect(messages >= runs, what, 'lost');
  cluster.expect(messages <= runs, what, 'doubled');
  cluster.expect(used === chats, what);
}

/** Sends one delivery until a replica accepts it, as a sender of webhooks does. Resolves to the ID of its run. */
async function deliver(
  { deployment }: Cluster,
  { path, secret }: Hook,
  id: string,
  body: string,
): Promise<string> {
  for (;;) {
    const url = deployment.api.nextUrl();
    const reply = url === undefined ? undefined : await post(`${url}${path}`, secret, id, body);
    if (reply?.ok === true) return ((await reply.json()) as { run_id: string }).run_id;
    if (reply !== undefined && reply.status !== 503) {
      throw new Error(`${id}: ${reply.status} ${await reply.text()}`);
    }
    await sleep(PAUSE_MS);
  }
}

async function post(
  url: string,
  secret: string,
  id: string,
  body: string,
): Promise<Response | undefined> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${mac}`,
      },
      body,
      signal: AbortSignal.timeout(10_000),
    });
  } catch {
    return undefined;
  }
}
