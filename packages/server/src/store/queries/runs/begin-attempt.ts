import type { Fence } from '../../../chat/fence.ts';
import { BEGIN_ATTEMPT } from '../../../chat/turn.ts';
import { statement } from '../../statement.ts';
import { assign, constants, NEXT_VERSION } from './assignments.ts';

/** The transition `beginAttempt`. No row: it does not apply, and the transition itself finds out why. */
export const beginAttemptStatement = statement<
  Fence & { chat_id: string; attempt: number },
  { owner_id: string; snapshot_version: number }
>(
  'begin-attempt',
  `UPDATE chats
      SET ${assign({ ...NEXT_VERSION, ...constants(BEGIN_ATTEMPT), attempt: 'attempt + 1' })}
    WHERE id = :chat_id AND runner_id = :runner_id AND history_version = :history_version
      AND attempt = :attempt - 1 AND status = 'running'
   RETURNING owner_id, snapshot_version`,
);
