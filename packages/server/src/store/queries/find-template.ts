import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

export const findTemplate = statement<TemplateRow>(
  'find-template',
  `SELECT id, name, definition, created_at FROM templates WHERE id = $1`,
);
