import { type LabelChanges, Labels } from '@chatd/protocol';
import { Refused } from '../refused.ts';
import type { ChatRow } from '../row.ts';
import type { ChatProperties, Writes } from '../writes.ts';

/** Labels are changed by name, so that clients keep each other's. Null: remove all. */
export type ChatChanges = Omit<ChatProperties, 'labels'> & {
  readonly labels?: LabelChanges | null;
};

/** Properties outside the state machine: title, labels, pins, model, tools. */
export function update(chat: ChatRow, { labels, ...rest }: ChatChanges): Writes {
  const properties: ChatProperties = {
    ...rest,
    ...(labels !== undefined && { labels: changed(chat.labels, labels) }),
  };
  const news = Object.entries(properties).filter(
    ([name, value]) => !same(chat[name as keyof ChatProperties], value),
  );
  return news.length === 0 ? {} : { properties: Object.fromEntries(news) };
}

function changed(before: Labels, changes: LabelChanges | null): Labels {
  const after = Object.entries({ ...before, ...changes }).filter(
    (label): label is [string, string] => label[1] !== null,
  );
  const labels = Labels.safeParse(changes === null ? {} : Object.fromEntries(after));
  if (labels.success) return labels.data;
  throw new Refused('invalid_labels', `labels: ${labels.error.issues[0]?.message ?? 'too many'}`);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
