import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

/** No row: the template is gone, or the name is another one's. */
export const updateTemplate = statement<TemplateRow>(
  'update-template',
  `UPDATE templates SET name = $2, definition = $3
    WHERE id = $1 AND NOT EXISTS (SELECT FROM templates other WHERE other.name = $2 AND other.id <> $1)
   RETURNING id, name, definition, created_at`,
);
