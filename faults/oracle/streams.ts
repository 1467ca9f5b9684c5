import { isDeepStrictEqual } from 'node:util';
import type { Message } from '@chatd/protocol';
import type { View } from '../clients/view.ts';
import type { Check, Evidence } from './evidence.ts';
import type { ProblemKind } from './problem.ts';

/** Of requests to the API. */
const CONCURRENCY = 8;

/** No viewer missed an event. */
export const eventsReceived: Check = (evidence) => Promise.resolve(violations(evidence, 'lost'));

/** No viewer received an event twice, or after a later one. */
export const eventsOnce: Check = (evidence) => Promise.resolve(violations(evidence, 'doubled'));

/** Every event is valid, and every stream was opened or refused with 503. */
export const eventsValid: Check = (evidence) =>
  Promise.resolve([
    ...violations(evidence, 'wrong'),
    ...evidence.viewers.flatMap(({ chatId, refusals }) =>
      refusals.map((what) => `stream of ${chatId}: ${what}`),
    ),
  ]);

const violations = ({ viewers }: Evidence, kind: ProblemKind): string[] =>
  viewers.flatMap(({ chatId, view }) =>
    view.violations
      .filter((violation) => violation.kind === kind)
      .map(({ what }) => `stream of ${chatId}: ${what}`),
  );

/** The final state of each viewer equals the stored state. */
export const viewsMatchDatabase: Check = async (evidence) => {
  const wrong: string[] = [];
  const chats = Map.groupBy(evidence.viewers, ({ chatId }) => chatId).entries();
  const compareChats = async () => {
    for (const [chatId, viewers] of chats) {
      const stored = await storedIn(chatId, evidence);
      for (const { view } of viewers) {
        wrong.push(...compare(view, stored).map((what) => `stream of ${chatId}: ${what}`));
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, compareChats));
  return wrong;
};

interface Stored {
  readonly status: string | undefined;
  readonly ids: readonly number[];
  /** As returned by the API. */
  readonly messages: readonly Message[];
}

async function storedIn(chatId: string, { api, records }: Evidence): Promise<Stored> {
  const messages: Message[] = [];
  for (let hasMore = true; hasMore;) {
    // The first page is the newest.
    const before = messages[0] === undefined ? '' : `&before_id=${messages[0].id}`;
    const page = await api.get<{ messages: Message[]; has_more: boolean }>(
      `/chats/${chatId}/messages?limit=200${before}`,
    );
    messages.unshift(...page.messages);
    hasMore = page.has_more;
  }
  const [chats, stored] = await Promise.all([records.chats([chatId]), records.messages([chatId])]);
  const ids = stored.filter(({ hidden }) => !hidden).map(({ id }) => id);
  return { status: chats[0]?.status, ids, messages };
}

function compare(view: View, { status, ids, messages }: Stored): string[] {
  const wrong = view.status === status ? [] : [`status shown: ${view.status}, stored: ${status}`];
  const shown = view.messages.map(({ id }) => id);
  if (status === 'waiting' && view.queue.length > 0) {
    wrong.push(`${view.queue.length} messages shown in the queue of an idle chat`);
  }
  if (!isDeepStrictEqual(shown, ids)) {
    wrong.push(`messages shown: ${shown.join()}, stored: ${ids.join()}`);
  } else if (!isDeepStrictEqual(view.messages, messages)) {
    wrong.push('a shown message differs from the stored one');
  }
  return wrong;
}
