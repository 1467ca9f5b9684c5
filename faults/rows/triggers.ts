import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster.ts';
import { withCluster } from '../cluster.ts';
import type { Row } from '../row.ts';

/** Thirty rounds are ten minutes and 2,010 deliveries. */
const ROUND_MS = 20_000;
const DELIVERIES_PER_ROUND = 67;
const RESTART_EVERY = 3;
const KEYS = 5;
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
  run: ({ bus, postgres, rounds, log }) =>
    withCluster(
      { bus, postgres, replicas: 3, clockOffsetsMs: [0, OFFSET_MS, 0], discardRequests: true },
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
        let sent = 0;
        let requests = 0;
        let kills = 0;
        let restarts = 0;
        for (let round = 1; round <= rounds; round += 1) {
          const endsAt = Date.now() + ROUND_MS;
          const deliveries = Array.from({ length: DELIVERIES_PER_ROUND }, async () => {
            const number = (sent += 1);
            await sleep(Math.random() * ROUND_MS * 0.8);
            const copies = 1 + Math.floor(Math.random() * 3);
            requests += copies;
            const answers = await Promise.all(
              Array.from({ length: copies }, () => deliver(cluster, hook, number)),
            );
            cluster.expect(
              new Set(answers).size === 1,
              `the copies of delivery ${number} have the runs ${answers.join(', ')}`,
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
          log(`round ${round}: ${sent} deliveries, ${kills} kills, ${restarts} restarts`);
        }
        const { next_fire_at: next } = await api.get<Scheduled>(`/triggers/${schedule.id}`);
        await api.patch(`/triggers/${schedule.id}`, { enabled: false });
        await cluster.eventually('all runs have ended', async () => {
          const [left] = await witness.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM trigger_runs WHERE status IN ('queued', 'started')`,
          );
          return left?.count === 0;
        });
        const [ticks] = await witness.query<Counts & Seconds>(
          `${COUNTS}, (extract(epoch FROM max(fire_time) - min(fire_time)) + 1)::int AS seconds,
                  min(fire_time) AS first, max(fire_time) AS last
             FROM trigger_runs WHERE trigger_id = $1`,
          [schedule.id],
        );
        const [hooks] = await witness.query<Counts>(
          `${COUNTS} FROM trigger_runs WHERE trigger_id = $1`,
          [hook.id],
        );
        if (ticks === undefined || hooks === undefined) throw new Error('no counts');
        const seen = `${ticks.seconds} due seconds`;
        cluster.expect(ticks.runs === ticks.seconds, `${seen} have ${ticks.runs} runs`);
        // From the first second after the trigger was created, to the last one before it was disabled.
        cluster.expect(
          ticks.first.getTime() === Date.parse(schedule.next_fire_at),
          `the first run is of ${ticks.first.toISOString()}, not ${schedule.next_fire_at}`,
        );
        cluster.expect(
          ticks.last.getTime() >= Date.parse(next) - 1000,
          `the last run is of ${ticks.last.toISOString()}, but the next one was due at ${next}`,
        );
        cluster.expect(ticks.done === ticks.runs, `${ticks.runs - ticks.done} ticks are not done`);
        cluster.expect(hooks.runs === sent, `${sent} deliveries have ${hooks.runs} runs`);
        cluster.expect(hooks.done === sent, `${sent - hooks.done} deliveries are not done`);
        // A message without a run, or a run without its message, is in neither count.
        const messages = await witness.query<{
          trigger_id: string;
          chats: number;
          messages: number;
        }>(
          `SELECT chats.trigger_id, count(DISTINCT chats.id)::int AS chats, count(*)::int AS messages
             FROM chats JOIN messages ON messages.chat_id = chats.id
            WHERE chats.trigger_id IS NOT NULL AND messages.role = 'user' GROUP BY chats.trigger_id`,
        );
        const of = (id: string) => messages.find(({ trigger_id }) => trigger_id === id);
        const [ticked, delivered] = [of(schedule.id), of(hook.id)];
        cluster.expect(
          ticked?.messages === ticks.runs && ticked.chats === ticks.runs,
          `${ticks.runs} ticks have ${ticked?.messages} messages in ${ticked?.chats} chats`,
        );
        cluster.expect(
          delivered?.messages === sent && delivered.chats <= KEYS,
          `${sent} deliveries have ${delivered?.messages} messages in ${delivered?.chats} chats`,
        );
        const problems = await cluster.check(ticks.runs);
        return {
          figure: `${seen}: ${ticks.runs} runs; ${sent} deliveries in ${requests} requests: ${hooks.runs} runs; ${kills} kills, ${restarts} restarts of PostgreSQL`,
          problems,
        };
      },
    ),
};

interface Scheduled {
  readonly id: string;
  readonly next_fire_at: string;
}

interface Seconds {
  readonly seconds: number;
  readonly first: Date;
  readonly last: Date;
}

interface Counts {
  readonly runs: number;
  readonly done: number;
}

const COUNTS = `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'done')::int AS done`;

/** Sends one delivery until a replica accepts it, as a sender of webhooks does. Resolves to the ID of its run. */
async function deliver(
  { deployment }: Cluster,
  { path, secret }: Hook,
  number: number,
): Promise<string> {
  const body = JSON.stringify({ number, key: `key ${number % KEYS}` });
  for (;;) {
    const url = deployment.api.nextUrl();
    const reply = url === undefined ? undefined : await post(`${url}${path}`, secret, number, body);
    if (reply?.ok === true) return ((await reply.json()) as { run_id: string }).run_id;
    if (reply !== undefined && reply.status !== 503) {
      throw new Error(`delivery ${number}: ${reply.status} ${await reply.text()}`);
    }
    await sleep(PAUSE_MS);
  }
}

async function post(
  url: string,
  secret: string,
  number: number,
  body: string,
): Promise<Response | undefined> {
  const id = `delivery-${number}`;
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
