import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from '../messages/records.ts';

export interface CommittedMessage {
  readonly owner_id: string;
  readonly snapshot_version: number;
  readonly id: number;
  readonly created_at: Date;
}

/** No call is open after the step, and nobody waits for a summary: only then is it certain what the runner does next. */
const NOTHING_ELSE_TO_DO = `$7::jsonb = '[]' AND jsonb_array_length(open_calls) = cardinality($5::text[])
        AND (NOT compaction_requested OR $8::boolean)`;

/** What else a step writes: nothing, the begin of the next attempt, or the end of the turn. */
const NEXT = {
  nothing: { set: `attempt = 0`, when: 'true' },
  begin_attempt: {
    set: `attempt = 1,
            queued_for_capacity = false`,
    when: NOTHING_ELSE_TO_DO,
  },
  finish_turn: {
    set: `attempt = 0,
            status = 'waiting',
            runner_id = NULL,
            worker_id = NULL,
            queued_for_capacity = false,
            active_at = now()`,
    when: NOTHING_ELSE_TO_DO,
  },
} as const;

/**
 * A whole step in one round trip: what the transitions `commitStep` and then `beginAttempt` or `finishTurn` plan.
 * Everything that the decision depends on is in the WHERE of the chat's own row: a statement that waited for a
 * concurrent send sees the queue that the send left, and writes nothing. With an empty queue no message can steer the
 * turn or begin the next one. $5: ids of earlier calls that the step answers; $6: the same as [{tool_call_id}]; $7:
 * calls that the step leaves open; $8: the step completes a requested compaction; $9: the model answered.
 */
const commitAnd = (next: keyof typeof NEXT) =>
  statement<CommittedMessage>(
    `commit-step-and-${next.replace('_', '-')}`,
    `WITH chat AS (
     UPDATE chats
        SET snapshot_version = snapshot_version + 1,
            history_version = snapshot_version + 1,
            open_calls = CASE WHEN $5::text[] = '{}' THEN open_calls ELSE (
              SELECT coalesce(jsonb_agg(call), '[]')
                FROM jsonb_array_elements(open_calls) AS call
               WHERE call ->> 'tool_call_id' <> ALL ($5)) END || $7::jsonb,
            reply_version = CASE WHEN $9::boolean THEN snapshot_version + 1 ELSE reply_version END,
            compaction_requested = compaction_requested AND NOT $8::boolean,
            retry_version = CASE WHEN retry IS NULL THEN retry_version ELSE snapshot_version + 1 END,
            retry = NULL,
            updated_at = now(),
            ${NEXT[next].set}
      WHERE id = $1 AND runner_id = $2 AND history_version = $3 AND attempt = $4
        AND status = 'running' AND queue_length = 0
        AND open_calls @> $6::jsonb AND ($7::jsonb = '[]' OR open_calls = '[]')
        AND ${NEXT[next].when}
     RETURNING id, owner_id, root_chat_id, snapshot_version
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, chat.snapshot_version, $3, $4, $2, ${RECORD_SOURCE}
       FROM chat, ${fromMessageRecords('$10')}
      ORDER BY record.ordinality
     RETURNING id, created_at
   ), call AS (
     INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                              reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms,
                              kind)
     SELECT chat.owner_id, chat.id, coalesce(chat.root_chat_id, chat.id), $11, $12, $13, $14, $15, $16, $17, $18,
            $19
       FROM chat
      WHERE $11::uuid IS NOT NULL
   )
   SELECT chat.owner_id, chat.snapshot_version, message.id, message.created_at
     FROM chat, message
    ORDER BY message.id`,
  );

export const commitStepStatements = {
  nothing: commitAnd('nothing'),
  begin_attempt: commitAnd('begin_attempt'),
  finish_turn: commitAnd('finish_turn'),
};
