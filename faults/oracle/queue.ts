import { parsePlan } from '../deployment/plan.ts';
import type { Check } from './evidence.ts';
import { firstText } from './records.ts';

/** Queued messages were processed in queue order, and no message before a promoted one. */
export const queueOrder: Check = async (evidence) => {
  const sent = (await evidence.records.messages(evidence.chats)).flatMap((message) =>
    message.role === 'user' && !message.hidden
      ? [{ ...message, name: parsePlan(firstText(message))?.id }]
      : [],
  );
  const chats = Map.groupBy(sent, ({ chat_id }) => chat_id);
  return evidence.acknowledged.flatMap(({ id, chatId, after, promotedAt }) => {
    const all = chats.get(chatId) ?? [];
    const idOf = (name: string) => all.find((one) => one.name === name)?.id;
    const own = idOf(id);
    const earlier = after === undefined ? undefined : idOf(after);
    if (own === undefined) return [];
    const wrong = earlier !== undefined && earlier > own ? [`${id} ran before ${after}`] : [];
    const overtook = all.filter((one) => one.id < own && one.at > (promotedAt ?? Infinity));
    return [
      ...wrong,
      ...overtook.map(({ name }) => `${name} ran before ${id}, which was promoted`),
    ];
  });
};
