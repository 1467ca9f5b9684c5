import type { Fence } from '../../../chat/fence.ts';
import type { Step } from '../../../chat/transitions/commit-step.ts';
import { BEGIN_ATTEMPT, FINISH_TURN } from '../../../chat/turn.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from '../messages/records.ts';
import type { ModelCallParams } from '../model-calls.ts';
import { assign, type Assignments, constants, NEXT_VERSION } from './assignments.ts';

export type CommitStepParams = Fence &
  Omit<ModelCallParams, 'model_config_id'> & {
    chat_id: string;
    attempt: number;
    /** Ids of earlier calls that the step answers. */
    answered: readonly string[];
    /** The same as `[{tool_call_id}]`. */
    answered_calls: JsonText;
    /** Calls that the step leaves open. */
    opened: JsonText;
    /** The step completes a requested compaction. */
    compacted: boolean;
    /** The step has a response of the model. */
    replied: boolean;
    messages: JsonText;
    /** Null: the step has no model call. */
    model_config_id: string | null;
  };

export interface CommittedMessage {
  readonly owner_id: string;
  readonly snapshot_version: number;
  readonly id: number;
  readonly created_at: Date;
}

const STEP: Assignments = {
  ...NEXT_VERSION,
  history_version: 'snapshot_version + 1',
  attempt: '0',
  open_calls: `CASE WHEN :answered::text[] = '{}' THEN open_calls ELSE (
              SELECT coalesce(jsonb_agg(call), '[]')
                FROM jsonb_array_elements(open_calls) AS call
               WHERE call ->> 'tool_call_id' <> ALL (:answered)) END || :opened::jsonb`,
  reply_version: 'CASE WHEN :replied::boolean THEN snapshot_version + 1 ELSE reply_version END',
  compaction_requested: 'compaction_requested AND NOT :compacted::boolean',
  retry: 'NULL',
};

/** After the step no call is open and no compaction is requested, so the runner's next write is known. */
const IS_DONE = `:opened::jsonb = '[]' AND jsonb_array_length(open_calls) = cardinality(:answered::text[])
        AND (NOT compaction_requested OR :compacted::boolean)`;

/** What the statement writes besides the step. */
const NEXT: Record<NonNullable<Step['next']> | 'nothing', { set: Assignments; when: string }> = {
  nothing: { set: {}, when: 'true' },
  begin_attempt: { set: { ...constants(BEGIN_ATTEMPT), attempt: '1' }, when: IS_DONE },
  finish_turn: { set: { ...constants(FINISH_TURN), active_at: 'now()' }, when: IS_DONE },
};

/**
 * The transition `commitStep` in one round trip. The WHERE clause on the chat's own row has everything that the plan
 * depends on: a statement that waited for a concurrent send sees the queue that the send left, and writes nothing. With
 * an empty queue no message can steer the turn or begin the next one.
 */
const commitAnd = (next: keyof typeof NEXT) =>
  statement<CommitStepParams, CommittedMessage>(
    `commit-step-and-${next.replace('_', '-')}`,
    `WITH chat AS (
     UPDATE chats
        SET ${assign({ ...STEP, ...NEXT[next].set })}
      WHERE id = :chat_id AND runner_id = :runner_id AND history_version = :history_version
        AND attempt = :attempt AND status = 'running' AND queue_length = 0
        AND open_calls @> :answered_calls::jsonb AND (:opened::jsonb = '[]' OR open_calls = '[]')
        AND ${NEXT[next].when}
     RETURNING id, owner_id, root_chat_id, snapshot_version
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, chat.snapshot_version, :history_version, :attempt, :runner_id, ${RECORD_SOURCE}
       FROM chat, ${fromMessageRecords(':messages')}
      ORDER BY record.ordinality
     RETURNING id, created_at
   ), call AS (
     INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                              reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms,
                              kind)
     SELECT chat.owner_id, chat.id, coalesce(chat.root_chat_id, chat.id), :model_config_id, :input_tokens,
            :output_tokens, :reasoning_tokens, :cache_read_tokens, :cache_creation_tokens, :cost_micros, :runtime_ms,
            :kind
       FROM chat
      WHERE :model_config_id::uuid IS NOT NULL
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
