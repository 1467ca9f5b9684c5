import { statement } from '../statement.ts';

/** Its maker is at work, and this is what it has to show. */
export const beatWorkspace = statement<never>(
  'beat-workspace',
  `UPDATE workspaces SET beat_at = now(), log = $2 WHERE id = $1`,
);
