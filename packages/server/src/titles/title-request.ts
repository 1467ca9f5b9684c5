import type { ExcerptRow } from '../store/queries/messages/title-excerpt.ts';

/** The prompt for a title. Undefined: the conversation has no text. */
export function titleRequest(excerpt: readonly ExcerptRow[]): string | undefined {
  if (!excerpt.some(({ role }) => role === 'user')) return undefined;
  return excerpt.map(({ role, text }) => `<${role}>\n${text}\n</${role}>`).join('\n');
}
