import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookReceiver } from '../clients/webhook-receiver.ts';
import { withCluster } from '../cluster.ts';
import { countRounds, type Row } from '../row.ts';

const FAILURE_RATE = 0.3;
const DOWN_MS = 60_000;
const TURNS_PER_CHAT = 3;
const OFFSET_MS = 10 * 60_000;
/** The backlog of a minute, with the pauses between attempts. */
const DRAIN_MS = 15 * 60_000;

/** In the first round, the receiver is down for a minute. In each round, a replica is killed. */
export const outboundWebhooks: Row = {
  name: 'webhooks: the receiver fails 30 % of requests and is down for a minute, replicas killed at random',
  guarantee: 'every event arrives at least once, signed, and those of a chat in order',
  chats: 8,
  seconds: { round: 15, setup: 240 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster(
      { bus, postgres, replicas: 3, clockOffsetsMs: [0, OFFSET_MS, 0] },
      async (cluster) => {
        const { deployment } = cluster;
        const { api, witness } = deployment;
        const receiver = new WebhookReceiver(FAILURE_RATE);
        await receiver.up();
        try {
          const { url } = receiver;
          const events = ['chat.waiting'];
          const { secret } = await api.post<{ secret: string }>('/webhooks', { url, events });
          receiver.verifyWith(secret);
          const load = await cluster.load({
            conversations: chats,
            turns: [[{ chunks: 30, paceMs: 100 }]],
          });
          let kills = 0;
          for (const round of countRounds({ rounds, log })) {
            await cluster.progress(load, TURNS_PER_CHAT * chats);
            if (round === 1) await receiver.down();
            const downUntil = Date.now() + DOWN_MS;
            const member = deployment.members[Math.floor(Math.random() * 3)];
            if (member === undefined) throw new Error('no replica');
            await member.replica.kill();
            kills += 1;
            await deployment.replace(member);
            if (round === 1) {
              await sleep(Math.max(0, downUntil - Date.now()));
              await receiver.up();
            }
            log(`round ${round}: ${receiver.accepted.length} events accepted`);
          }
          await load.stop();
          await cluster.eventually(
            'all chats are idle',
            async () => (await witness.busyChats()).length === 0,
          );
          // What the transactions of chats have caused, by the witness.
          const ends = await witness.query<{ chat_id: string; version: number }>(
            `SELECT chat_id, version::int FROM witness.moves
              WHERE old_status IN ('running', 'interrupting') AND status = 'waiting' ORDER BY n`,
          );
          const expected = new Set(ends.map(({ chat_id, version }) => keyOf(chat_id, version)));
          const arrived = () =>
            new Set(receiver.accepted.map(({ chatId, version }) => keyOf(chatId, version)));
          await cluster.eventually(
            'all events have arrived',
            () => missing(expected, arrived()) === 0,
            DRAIN_MS,
          );
          const lost = missing(expected, arrived());
          cluster.expect(lost === 0, `${lost} events did not arrive`, 'lost');
          const foreign = missing(arrived(), expected);
          cluster.expect(foreign === 0, `${foreign} events are not of an ended turn`);
          for (const [chatId, ofChat] of Map.groupBy(receiver.accepted, (one) => one.chatId)) {
            const versions = ofChat.map(({ version }) => version);
            const isOrdered = versions.every((version, at) => version >= (versions[at - 1] ?? 0));
            cluster.expect(isOrdered, `events of chat ${chatId} arrived as ${versions.join(', ')}`);
          }
          // A replica with a wrong clock signs with the time of the database.
          const { unverified, failed, accepted } = receiver;
          cluster.expect(unverified === 0, `${unverified} requests had no valid signature`);
          cluster.expect(failed > 0, 'no request failed');
          const verdict = await cluster.check(rounds * TURNS_PER_CHAT * chats);
          return {
            ...verdict,
            examined: { ...verdict.examined, deliveries: expected.size },
            figures: [
              `${expected.size} events: ${arrived().size} delivered in order, ${accepted.length - arrived().size} repeated`,
              `${failed} failed requests, ${unverified} wrong signatures, ${kills} kills`,
            ],
          };
        } finally {
          await receiver.down();
        }
      },
    ),
};

const missing = (wanted: ReadonlySet<string>, found: ReadonlySet<string>): number =>
  [...wanted].filter((one) => !found.has(one)).length;

const keyOf = (chatId: string, version: number): string => `${chatId} ${version}`;
