import { statement } from '../statement.ts';
import type { TemplateRow } from '../templates.ts';

export const listTemplates = statement<TemplateRow>(
  'list-templates',
  `SELECT id, name, definition, created_at FROM templates ORDER BY name`,
);
