import type { Conversation } from '../clients/conversation.ts';
import { FAULT_KINDS, type FaultKind } from '../deployment/model.ts';
import type { Row } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';

/** Short limits, so that hangs are detected quickly. */
const LIMITS = { startup_ms: 1500, silence_ms: 1500, max_attempts: 3 };
const BOUND_MS = 45_000;
const ALWAYS = 1000;

export const providerFaults: Row = {
  name: 'provider faults',
  guarantee: 'bounded retries or a clear error; the chat stays usable',
  run: ({ bus, postgres, log }) =>
    withCluster({ bus, postgres, limits: LIMITS }, async (cluster) => {
      let stuck = 0;
      let errors = 0;
      let retries = 0;
      // One kind at a time, so that a stuck chat identifies its fault.
      for (const kind of FAULT_KINDS) {
        const once = await startFailing(cluster, kind, 1);
        const always = await startFailing(cluster, kind, ALWAYS);
        const both = [once, always];
        const signal = AbortSignal.timeout(BOUND_MS);
        const idle = await Promise.all(both.map((one) => one.idle(signal)));
        stuck += idle.filter((isIdle) => !isIdle).length;
        cluster.expect(idle.every(Boolean), `${kind}: a chat did not finish its turn`);
        cluster.expect(
          once.view.status === 'waiting',
          `${kind}, once: ended with status ${once.view.status} (${once.view.error})`,
        );
        const { status, error } = always.view;
        cluster.expect(
          status === 'waiting' || (error ?? '').length > 10,
          `${kind}, always: status ${status} without an error message`,
        );
        errors += status === 'error' ? 1 : 0;
        retries += once.view.retries + always.view.retries;
        log(
          `${kind}: once → ${once.view.status} after ${once.view.retries} retries; always → ${status}${error === undefined ? '' : `: ${error}`}`,
        );
        // The next message must be answered.
        await Promise.all(both.map((one) => one.send([{ chunks: 2 }])));
        const again = AbortSignal.timeout(BOUND_MS);
        const answered = await Promise.all(both.map((one) => one.answered(again)));
        cluster.expect(answered.every(Boolean), `${kind}: the next message was not answered`);
      }
      const problems = await cluster.check(FAULT_KINDS.length * 2);
      return {
        figure: `stuck chats ${stuck} of ${FAULT_KINDS.length * 2} (${retries} retries, ${errors} clear errors)`,
        problems,
      };
    }),
};

async function startFailing(
  cluster: Cluster,
  kind: FaultKind,
  times: number,
): Promise<Conversation> {
  const conversation = await cluster.begin([{ chunks: 3, fault: { kind, times } }]);
  cluster.mayFail.add(conversation.chatId);
  return conversation;
}
