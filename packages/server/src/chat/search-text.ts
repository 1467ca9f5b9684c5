import type { NewMessage } from './writes.ts';

/** PostgreSQL refuses to index much more than this for one row. */
const LIMIT = 65_536;

/** What full-text search finds a message by: what people and the agent said. Null when there is nothing. */
export function searchText(message: NewMessage): string | null {
  if (message.hidden === true || (message.role !== 'user' && message.role !== 'assistant')) {
    return null;
  }
  const text = message.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .slice(0, LIMIT)
    .trim();
  return text === '' ? null : text;
}
