import type { Conversation } from '../clients/conversation.ts';
import { FAULT_KINDS, type FaultKind } from '../deployment/model.ts';
import { countRounds, type Row } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';

/** Short limits, so that hangs are detected quickly. */
const LIMITS = { startup_ms: 1500, silence_ms: 1500, max_attempts: 3 };
const BOUND_MS = 45_000;
const ALWAYS = 1000;

export const providerFaults: Row = {
  name: 'provider faults',
  guarantee: 'bounded retries or a clear error; the chat stays usable',
  chats: 2 * FAULT_KINDS.length,
  seconds: { round: 40 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withCluster({ bus, postgres, limits: LIMITS }, async (cluster) => {
      const each = Math.ceil(chats / FAULT_KINDS.length / 2);
      let errors = 0;
      let retries = 0;
      for (const round of countRounds({ rounds, log })) {
        // One kind at a time, so that a stuck chat identifies its fault.
        for (const kind of FAULT_KINDS) {
          const once = await startFailing(cluster, kind, each, 1);
          const always = await startFailing(cluster, kind, each, ALWAYS);
          const both = [...once, ...always];
          const signal = AbortSignal.timeout(BOUND_MS);
          const idle = await Promise.all(both.map((one) => one.idle(signal)));
          const stuck = idle.filter((isIdle) => !isIdle).length;
          cluster.expect(stuck === 0, `${kind}: ${stuck} chats did not finish their turn`);
          for (const { view } of once) {
            cluster.expect(
              view.status === 'waiting',
              `${kind}, once: ended with status ${view.status} (${view.error})`,
            );
          }
          for (const { view } of always) {
            cluster.expect(
              view.status === 'waiting' || (view.error ?? '').length > 10,
              `${kind}, always: status ${view.status} without an error message`,
            );
          }
          errors += always.filter(({ view }) => view.status === 'error').length;
          retries += both.reduce((sum, { view }) => sum + view.retries, 0);
          log(
            `round ${round}, ${kind}: once → ${statesOf(once)}; always → ${statesOf(always)} ${always[0]?.view.error ?? ''}`,
          );
          // The next message must be answered.
          await Promise.all(both.map((one) => one.send([{ chunks: 2 }])));
          const again = AbortSignal.timeout(BOUND_MS);
          const answered = await Promise.all(both.map((one) => one.answered(again)));
          cluster.expect(answered.every(Boolean), `${kind}: the next message was not answered`);
        }
        await cluster.retire();
      }
      return {
        ...(await cluster.check(rounds * 2 * each * FAULT_KINDS.length)),
        figures: [`${retries} retries, ${errors} clear errors`],
      };
    }),
};

const statesOf = (conversations: readonly Conversation[]): string =>
  conversations.map(({ view }) => `${view.status} after ${view.retries} retries`).join(', ');

async function startFailing(
  cluster: Cluster,
  kind: FaultKind,
  count: number,
  times: number,
): Promise<Conversation[]> {
  const conversations = await cluster.beginAll(count, [{ chunks: 3, fault: { kind, times } }]);
  for (const { chatId } of conversations) cluster.mayFail.add(chatId);
  return conversations;
}
