import type { NewMessage } from '../../../chat/writes.ts';
import { type JsonText, storable } from '../../json.ts';
import { usageArray } from './columns.ts';

export interface MessageRecords {
  readonly json: JsonText;
  /** As they will be read back. */
  readonly messages: readonly NewMessage[];
}

/** Messages as one JSON parameter, for any number of rows. With `step`, each names the step that it belongs to. */
export function messageRecords(messages: readonly NewMessage[], step?: number): MessageRecords {
  const { value, json } = storable(
    step === undefined ? messages : messages.map((message) => ({ ...message, step })),
  );
  return { json, messages: value };
}

/** A FROM item with the records of a parameter, in order. */
export const fromMessageRecords = (parameter: string): string =>
  `ROWS FROM (json_to_recordset(${parameter}::json) AS (
     role text, content json, hidden boolean, meta json, created_by uuid, model_config_id uuid,
     usage json, cost_micros bigint, runtime_ms bigint, queued_message_id bigint, step integer
   )) WITH ORDINALITY AS record (
     role, content, hidden, meta, created_by, model_config_id,
     usage, cost_micros, runtime_ms, queued_message_id, step, ordinality)`;

export const RECORD_TARGET = `chat_id, revision, base_version, attempt, runner_id,
  role, content, hidden, meta, created_by, model_config_id,
  usage, cost_micros, runtime_ms, queued_message_id`;

export const recordSource = (modelConfigId: string): string =>
  `record.role, record.content, coalesce(record.hidden, false), record.meta,
  record.created_by, ${modelConfigId}, ${usageArray('record.usage')}, record.cost_micros, record.runtime_ms,
  record.queued_message_id`;

export const RECORD_SOURCE = recordSource('record.model_config_id');
