import { DEFAULT_LIMITS } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import { toJson } from './json.ts';
import { readSettings, updateSettings } from './queries/settings.ts';
import { onlyRow, type Queryable } from './statement.ts';

const DEFAULTS: Settings = {
  system_prompt: '',
  approvals: [],
  spend_limit_micros: null,
  deployment_spend_limit_micros: null,
  retention_days: null,
  allow_private_urls: false,
  allow_chat_links: false,
  max_running_chats: null,
  max_running_chats_per_user: 64,
  max_streams_per_user: 1000,
  max_tokens_per_user: 100,
  max_workspaces_per_user: 100,
  subagent_depth: 2,
  subagents_per_chat: 8,
  max_steps_per_turn: DEFAULT_LIMITS.max_steps,
  max_parallel_tools: DEFAULT_LIMITS.max_parallel_tools,
  dynamic_tool_timeout_seconds: 300,
  max_file_bytes_per_user: 1024 ** 3,
  debug_record: { enabled: false, retention_hours: 24 },
};

/** For settings where null means no limit or no timeout. */
function orDefault<Name extends keyof Settings>(
  value: Partial<Settings>,
  name: Name,
): Settings[Name] {
  const set: Settings[Name] | undefined = value[name];
  return set === undefined ? DEFAULTS[name] : set;
}

const withDefaults = ({ value }: { readonly value: Partial<Settings> }): Settings => ({
  system_prompt: value.system_prompt ?? DEFAULTS.system_prompt,
  approvals: value.approvals ?? DEFAULTS.approvals,
  spend_limit_micros: value.spend_limit_micros ?? DEFAULTS.spend_limit_micros,
  deployment_spend_limit_micros:
    value.deployment_spend_limit_micros ?? DEFAULTS.deployment_spend_limit_micros,
  retention_days: value.retention_days ?? DEFAULTS.retention_days,
  allow_private_urls: value.allow_private_urls ?? DEFAULTS.allow_private_urls,
  allow_chat_links: value.allow_chat_links ?? DEFAULTS.allow_chat_links,
  max_running_chats: value.max_running_chats ?? DEFAULTS.max_running_chats,
  max_running_chats_per_user: orDefault(value, 'max_running_chats_per_user'),
  max_streams_per_user: orDefault(value, 'max_streams_per_user'),
  max_tokens_per_user: orDefault(value, 'max_tokens_per_user'),
  max_workspaces_per_user: orDefault(value, 'max_workspaces_per_user'),
  subagent_depth: value.subagent_depth ?? DEFAULTS.subagent_depth,
  subagents_per_chat: value.subagents_per_chat ?? DEFAULTS.subagents_per_chat,
  max_steps_per_turn: value.max_steps_per_turn ?? DEFAULTS.max_steps_per_turn,
  max_parallel_tools: value.max_parallel_tools ?? DEFAULTS.max_parallel_tools,
  dynamic_tool_timeout_seconds: orDefault(value, 'dynamic_tool_timeout_seconds'),
  max_file_bytes_per_user: orDefault(value, 'max_file_bytes_per_user'),
  debug_record: value.debug_record ?? DEFAULTS.debug_record,
});

export async function loadSettings(db: Queryable): Promise<Settings> {
  return withDefaults(onlyRow(await db.query(readSettings)));
}

export async function changeSettings(db: Queryable, change: object): Promise<Settings> {
  return withDefaults(onlyRow(await db.query(updateSettings, { changes: toJson(change) })));
}
