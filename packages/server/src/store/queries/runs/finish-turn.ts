import type { Fence } from '../../../chat/fence.ts';
import { FINISH_TURN } from '../../../chat/turn.ts';
import { statement } from '../../statement.ts';
import { assign, constants, NEXT_VERSION } from './assignments.ts';

/** The transition `finishTurn` with an empty queue. No row: it does not apply, and the transition itself finds out why. */
export const finishTurnStatement = statement<
  Fence & { chat_id: string },
  { owner_id: string; snapshot_version: number; attempt: number }
>(
  'finish-turn',
  `UPDATE chats
      SET ${assign({ ...NEXT_VERSION, ...constants(FINISH_TURN), active_at: 'now()' })}
    WHERE id = :chat_id AND runner_id = :runner_id AND history_version = :history_version
      AND status = 'running' AND queue_length = 0 AND open_calls = '[]'
   RETURNING owner_id, snapshot_version, attempt`,
);
