import { parsePlan } from '../deployment/plan.ts';
import { type Check, chatFilter } from './evidence.ts';

interface StoredMessage {
  readonly chat_id: string;
  readonly id: number;
  /** Time of the commit to the history, by the clock of the database. */
  readonly at: number;
  readonly text: string;
}

/** Queued messages were processed in queue order, and no message before a promoted one. */
export const queueOrder: Check = async (evidence) => {
  const stored = await evidence.witness.query<StoredMessage>(
    `SELECT chat_id, id::int, extract(epoch FROM created_at)::float8 * 1000 AS at,
            content->0->>'text' AS text
       FROM messages
      WHERE role = 'user' AND NOT hidden AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const chats = Map.groupBy(stored, ({ chat_id }) => chat_id);
  return evidence.acknowledged.flatMap(({ id, chatId, after, promotedAt }) => {
    const all = chats.get(chatId) ?? [];
    const idOf = (name: string) => all.find(({ text }) => parsePlan(text)?.id === name)?.id;
    const own = idOf(id);
    const earlier = after === undefined ? undefined : idOf(after);
    if (own === undefined) return [];
    const wrong = earlier !== undefined && earlier > own ? [`${id} ran before ${after}`] : [];
    const overtook = all.filter((one) => one.id < own && one.at > (promotedAt ?? Infinity));
    return [
      ...wrong,
      ...overtook.map(({ text }) => `${parsePlan(text)?.id} ran before ${id}, which was promoted`),
    ];
  });
};
