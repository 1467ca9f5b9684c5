import type { ChatRow } from '../row.ts';
import type { ChatProperties, Writes } from '../writes.ts';

/** Properties that are no part of the state: title, labels, pins, model, tools. */
export function update(chat: ChatRow, properties: ChatProperties): Writes {
  const changed = Object.entries(properties).filter(
    ([name, value]) => !same(chat[name as keyof ChatProperties], value),
  );
  return changed.length === 0 ? {} : { properties: Object.fromEntries(changed) };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
