import type { Conversation } from '../clients/conversation.ts';
import { FAULT_KINDS, type FaultKind } from '../deployment/model.ts';
import type { Row } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';

/** Quick to give up, so that a hang is noticed while somebody watches. */
const LIMITS = { startup_ms: 1500, silence_ms: 1500, max_attempts: 3 };
const BOUND_MS = 45_000;
const FOR_EVER = 1000;

export const providerFaults: Row = {
  name: 'provider faults',
  mustHold: 'a bounded retry or a clear error; the history stays usable',
  run: ({ bus, postgres, say }) =>
    withCluster({ bus, postgres, limits: LIMITS }, async (cluster) => {
      let stuck = 0;
      let errors = 0;
      let retries = 0;
      // One kind after the other: a stuck chat is then easy to name.
      for (const kind of FAULT_KINDS) {
        const once = await fails(cluster, kind, 1);
        const always = await fails(cluster, kind, FOR_EVER);
        const both = [once, always];
        const signal = AbortSignal.timeout(BOUND_MS);
        const rest = await Promise.all(both.map((one) => one.rests(signal)));
        stuck += rest.filter((rested) => !rested).length;
        cluster.expect(rest.every(Boolean), `${kind}: a chat does not come to rest`);
        cluster.expect(
          once.view.status === 'waiting',
          `${kind}, once: ended in ${once.view.status} (${once.view.error})`,
        );
        const { status, error } = always.view;
        cluster.expect(
          status === 'waiting' || (error ?? '').length > 10,
          `${kind}, always: ${status} without a word`,
        );
        errors += status === 'error' ? 1 : 0;
        retries += once.view.retries + always.view.retries;
        say(
          `${kind}: once → ${once.view.status} after ${once.view.retries} retries; always → ${status}${error === undefined ? '' : `: ${error}`}`,
        );
        // Whatever happened, the next message is answered.
        await Promise.all(both.map((one) => one.say([{ say: 2 }])));
        const again = AbortSignal.timeout(BOUND_MS);
        const answered = await Promise.all(both.map((one) => one.answered(again)));
        cluster.expect(answered.every(Boolean), `${kind}: the chat is not usable afterwards`);
      }
      const problems = await cluster.verdict(FAULT_KINDS.length * 2);
      return {
        figure: `stuck chats ${stuck} of ${FAULT_KINDS.length * 2} (${retries} retries, ${errors} clear errors)`,
        problems,
      };
    }),
};

async function fails(cluster: Cluster, kind: FaultKind, times: number): Promise<Conversation> {
  const conversation = await cluster.begin([{ say: 3, fault: { kind, times } }]);
  cluster.mayFail.add(conversation.chatId);
  return conversation;
}
