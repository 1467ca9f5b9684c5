import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

/** No row: the name is taken. */
export const insertTemplate = statement<TemplateRow>(
  'insert-template',
  `INSERT INTO templates (id, name, definition) VALUES ($1, $2, $3)
   ON CONFLICT (name) DO NOTHING
   RETURNING id, name, definition, created_at`,
);
