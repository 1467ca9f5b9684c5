import { planIn } from '../deployment/plan.ts';
import { type Check, judged } from './evidence.ts';

interface Said {
  readonly chat_id: string;
  readonly id: number;
  /** When it came into the history, by the database. */
  readonly at: number;
  readonly text: string;
}

/** What waited came in the order of the queue, and nothing before a message that was promoted. */
export const queueOrder: Check = async (evidence) => {
  const said = await evidence.witness.query<Said>(
    `SELECT chat_id, id::int, extract(epoch FROM created_at)::float8 * 1000 AS at,
            content->0->>'text' AS text
       FROM messages
      WHERE role = 'user' AND NOT hidden AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    judged(evidence),
  );
  const chats = Map.groupBy(said, ({ chat_id }) => chat_id);
  return evidence.acknowledged.flatMap(({ id, chatId, after, promotedAt }) => {
    const all = chats.get(chatId) ?? [];
    const placeOf = (name: string) => all.find(({ text }) => planIn(text)?.id === name)?.id;
    const own = placeOf(id);
    const earlier = after === undefined ? undefined : placeOf(after);
    if (own === undefined) return [];
    const wrong = earlier !== undefined && earlier > own ? [`${id} came before ${after}`] : [];
    const overtook = all.filter((one) => one.id < own && one.at > (promotedAt ?? Infinity));
    return [
      ...wrong,
      ...overtook.map(({ text }) => `${planIn(text)?.id} came before ${id}, which was promoted`),
    ];
  });
};
