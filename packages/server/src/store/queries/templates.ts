import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

export const listTemplates = statement<TemplateRow>(
  'list-templates',
  `SELECT id, name, definition, created_at FROM templates ORDER BY name`,
);

/** No row: the name is taken. */
export const insertTemplate = statement<TemplateRow>(
  'insert-template',
  `INSERT INTO templates (id, name, definition) VALUES ($1, $2, $3)
   ON CONFLICT (name) DO NOTHING
   RETURNING id, name, definition, created_at`,
);

/** No row: the template is gone, or the name is another one's. */
export const updateTemplate = statement<TemplateRow>(
  'update-template',
  `UPDATE templates SET name = $2, definition = $3
    WHERE id = $1 AND NOT EXISTS (SELECT FROM templates other WHERE other.name = $2 AND other.id <> $1)
   RETURNING id, name, definition, created_at`,
);

export const deleteTemplate = statement<never>(
  'delete-template',
  `DELETE FROM templates WHERE id = $1`,
);
