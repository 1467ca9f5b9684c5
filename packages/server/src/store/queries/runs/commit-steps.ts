import type { Step } from '../../../chat/transitions/commit-step.ts';
import { BEGIN_ATTEMPT, FINISH_TURN } from '../../../chat/turn.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from '../messages/records.ts';
import type { ModelCallParams } from '../model-calls.ts';
import { assign, type Assignments, constants, NEXT_VERSION } from './assignments.ts';

/** One element of `:steps`. */
export interface StepRecord extends Partial<Omit<ModelCallParams, 'model_config_id'>> {
  /** Identifies the step within the statement. Its messages name it, too. */
  readonly step: number;
  readonly chat_id: string;
  readonly runner: string;
  readonly base_version: number;
  readonly base_attempt: number;
  readonly next: NonNullable<Step['next']> | 'nothing';
  /** Ids of earlier calls that the step answers. Absent: none. */
  readonly answered?: readonly string[];
  /** The same as `[{tool_call_id}]`. */
  readonly answered_calls?: readonly object[];
  /** Calls that the step leaves open. */
  readonly opened: readonly object[];
  /** The step completes a requested compaction. */
  readonly compacted: boolean;
  /** The step has a response of the model. */
  readonly replied: boolean;
  /** The model config of the step's model call. Absent: the step has none. */
  readonly call_config?: string;
}

export interface CommittedMessage {
  readonly step: number;
  readonly owner_id: string;
  readonly snapshot_version: number;
  readonly id: number;
  readonly created_at: Date;
}

const STEP: Assignments = {
  ...NEXT_VERSION,
  history_version: 'snapshot_version + 1',
  attempt: '0',
  open_calls: `CASE WHEN answered IS NULL THEN open_calls ELSE (
              SELECT coalesce(jsonb_agg(call), '[]')
                FROM jsonb_array_elements(open_calls) AS call
               WHERE call ->> 'tool_call_id' <> ALL (answered)) END || opened`,
  reply_version: 'CASE WHEN replied THEN snapshot_version + 1 ELSE reply_version END',
  compaction_requested: 'compaction_requested AND NOT compacted',
  retry: 'null',
};

/** What the statement writes besides the step. */
const NEXT: Record<NonNullable<Step['next']>, Assignments> = {
  begin_attempt: { ...constants(BEGIN_ATTEMPT), attempt: '1' },
  finish_turn: { ...constants(FINISH_TURN), active_at: 'now()' },
};

/** The columns of the step, and those of what follows it where it does. */
const STEP_AND_NEXT: Record<string, string> = { ...STEP };
for (const [next, set] of Object.entries(NEXT)) {
  for (const [column, value] of Object.entries(set)) {
    const otherwise = STEP_AND_NEXT[column] ?? column;
    if (otherwise === value) continue;
    STEP_AND_NEXT[column] = `CASE WHEN next = '${next}' THEN ${value} ELSE ${otherwise} END`;
  }
}

/** After the step no call is open and no compaction is requested, so the runner's next write is known. */
const IS_DONE = `opened = '[]' AND jsonb_array_length(open_calls) = coalesce(cardinality(answered), 0)
             AND (NOT compaction_requested OR compacted)`;

/**
 * The transition `commitStep` for steps of any number of chats. A step without rows was not written, and the transition
 * itself finds out why: its chat is locked, or a condition does not hold. The WHERE clause on the chat's own row has
 * everything that the plan depends on. With an empty queue no message can steer the turn or begin the next one.
 *
 * Each chat is found by its primary key, and then updated at its place in the table: with the key alone the planner may
 * prefer chats_runnable. A batch does not wait for locks. A row without xmax is not locked; others may be, and are locked
 * here or skipped: locking all of them would write a log record for each. If another transaction changes a chat between
 * the lookup and the update, the conditions are checked on the new row.
 */
export const commitSteps = statement<{ steps: JsonText; messages: JsonText }, CommittedMessage>(
  'commit-steps',
  `WITH step AS MATERIALIZED (
     SELECT record.*,
            CASE WHEN unlocked THEN found.place
                 ELSE (SELECT ctid FROM chats WHERE id = record.chat_id FOR NO KEY UPDATE SKIP LOCKED) END AS place
       FROM json_to_recordset(:steps::json) AS record (
              step integer, chat_id uuid, runner uuid, base_version bigint, base_attempt integer, next text,
              answered text[], answered_calls jsonb, opened jsonb, compacted boolean, replied boolean,
              call_config uuid, input_tokens integer, output_tokens integer, reasoning_tokens integer,
              cache_read_tokens integer, cache_creation_tokens integer, cost_micros bigint, runtime_ms bigint,
              kind text),
            LATERAL (SELECT ctid AS place, xmax = '0' AS unlocked FROM chats WHERE id = record.chat_id OFFSET 0) AS found
   ), chat AS (
     UPDATE chats
        SET ${assign(STEP_AND_NEXT)}
       FROM step
      WHERE chats.ctid = place AND id = chat_id
        AND runner_id = runner AND history_version = base_version AND attempt = base_attempt
        AND status = 'running' AND queue_length = 0
        AND (answered IS NULL OR open_calls @> answered_calls) AND (opened = '[]' OR open_calls = '[]')
        AND (next = 'nothing' OR ${IS_DONE})
     RETURNING step.*, owner_id, root_chat_id, snapshot_version
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat_id, snapshot_version, base_version, base_attempt, runner, ${RECORD_SOURCE}
       FROM chat JOIN ${fromMessageRecords(':messages')} USING (step)
      ORDER BY record.ordinality
     RETURNING chat_id, id, created_at
   ), call AS (
     INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                              reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms,
                              kind)
     SELECT owner_id, chat_id, coalesce(root_chat_id, chat_id), call_config, input_tokens, output_tokens,
            reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms, kind
       FROM chat
      WHERE call_config IS NOT NULL
   )
   SELECT chat.step, chat.owner_id, chat.snapshot_version, message.id, message.created_at
     FROM chat JOIN message USING (chat_id)
    ORDER BY message.id`,
);
