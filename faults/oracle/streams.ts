import { isDeepStrictEqual } from 'node:util';
import type { Message } from '@chatd/protocol';
import type { Viewer } from '../clients/viewer.ts';
import type { Check, Evidence } from './evidence.ts';

/** Nothing was repeated, lost or out of order while it was shown. */
export const shownOnce: Check = ({ viewers }) =>
  Promise.resolve(
    viewers.flatMap(({ chatId, view, refusals }) =>
      [...view.wrong, ...refusals].map((what) => `stream of ${chatId}: ${what}`),
    ),
  );

/** What each client's stream showed equals the database. */
export const shownIsStored: Check = async (evidence) => {
  const found = await Promise.all(evidence.viewers.map((viewer) => compare(viewer, evidence)));
  return found.flat();
};

async function compare({ chatId, view }: Viewer, { api, witness }: Evidence): Promise<string[]> {
  const stored: Message[] = [];
  for (;;) {
    const after = stored.at(-1)?.id;
    const page = await api.get<{ messages: Message[]; has_more: boolean }>(
      `/chats/${chatId}/messages?limit=200${after === undefined ? '' : `&after_id=${after}`}`,
    );
    stored.push(...page.messages);
    if (!page.has_more || page.messages.length === 0) break;
  }
  const [row] = await witness.query<{ status: string; ids: string[] | null }>(
    `SELECT status, (SELECT array_agg(id ORDER BY id) FROM messages WHERE chat_id = $1 AND NOT hidden) AS ids
       FROM chats WHERE id = $1`,
    [chatId],
  );
  const ids = (row?.ids ?? []).map(Number);
  const wrong: string[] = [];
  if (view.status !== row?.status) {
    wrong.push(`stream of ${chatId}: shown ${view.status}, stored ${row?.status}`);
  }
  const shown = view.messages.map(({ id }) => id);
  if (!isDeepStrictEqual(shown, ids)) {
    wrong.push(`stream of ${chatId}: shown messages ${shown.join()}, stored ${ids.join()}`);
  } else if (!isDeepStrictEqual(view.messages, stored)) {
    wrong.push(`stream of ${chatId}: a message was shown that differs from what is stored`);
  }
  return wrong;
}
