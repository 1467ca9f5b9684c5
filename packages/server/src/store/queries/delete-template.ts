import { statement } from '../statement.ts';

export const deleteTemplate = statement<never>(
  'delete-template',
  `DELETE FROM templates WHERE id = $1`,
);
