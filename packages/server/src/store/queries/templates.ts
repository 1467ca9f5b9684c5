import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

export const listTemplates = statement<null, TemplateRow>(
  'list-templates',
  `SELECT id, name, definition, created_at FROM templates ORDER BY name`,
);

/** No row: the name is taken. */
export const insertTemplate = statement<
  { id: string; name: string; definition: JsonText },
  TemplateRow
>(
  'insert-template',
  `INSERT INTO templates (id, name, definition) VALUES (:id, :name, :definition)
   ON CONFLICT (name) DO NOTHING
   RETURNING id, name, definition, created_at`,
);

/** No row: the template was deleted, or the name is taken. */
export const updateTemplate = statement<
  { id: string; name: string; definition: JsonText },
  TemplateRow
>(
  'update-template',
  `UPDATE templates SET name = :name, definition = :definition
    WHERE id = :id AND NOT EXISTS (SELECT FROM templates other WHERE other.name = :name AND other.id <> :id)
   RETURNING id, name, definition, created_at`,
);

export const deleteTemplate = statement<{ id: string }, never>(
  'delete-template',
  `DELETE FROM templates WHERE id = :id`,
);
