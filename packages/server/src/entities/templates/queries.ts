import { notFound } from '../../chat/refused.ts';
import type { Queryable } from '../../store/statement.ts';
import type { KnownTemplate, Templates } from '../../workspaces/templates.ts';

export async function requireTemplate(
  templates: Templates,
  id: string,
  db: Queryable,
): Promise<KnownTemplate> {
  const found = (await templates.list(db)).find((template) => template.id === id);
  if (found === undefined) throw notFound();
  return found;
}
