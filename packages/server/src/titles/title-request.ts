import type { ExcerptRow } from '../store/queries/messages/title-excerpt.ts';

/** What a model sees of the conversation it names; undefined when nobody has said anything in words. */
export function titleRequest(excerpt: readonly ExcerptRow[]): string | undefined {
  if (!excerpt.some(({ role }) => role === 'user')) return undefined;
  return excerpt.map(({ role, text }) => `<${role}>\n${text}\n</${role}>`).join('\n');
}
