import type { AgentType, DynamicTool, ReasoningEffort } from '@chatd/protocol';
import { CANCELLED, callsDelta, unanswered } from './open-calls.ts';
import type { MessageRow, OpenCall, StoredPart, TitleSource } from './row.ts';
import type { NewMessage } from './writes.ts';

/** A chat with a first message, which runs immediately. */
export interface NewChat {
  readonly id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly title_source: TitleSource;
  readonly content: readonly StoredPart[];
  readonly model_config_id: string;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly system_prompt: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly plan_mode: boolean;
  readonly dynamic_tools: readonly DynamicTool[];
  readonly mcp_server_ids: readonly string[];
  readonly workspace_id: string | null;
  /** Default: none. */
  readonly project_id?: string | null;
  readonly parent: { readonly id: string; readonly root_chat_id: string | null } | null;
  /** A subagent, and the tool call that asked for it. */
  readonly agent?: { readonly type: AgentType; readonly call: string };
}

/** A chat as a client requests it; the server fills in defaults. */
export interface RequestedChat extends Omit<
  NewChat,
  'model_config_id' | 'mcp_server_ids' | 'parent' | 'agent'
> {
  /** Null: the default model. */
  readonly model_config_id: string | null;
  /** Null: all servers that are on by default. */
  readonly mcp_server_ids: readonly string[] | null;
  /** The trigger that starts the chat. Default: none. */
  readonly trigger_id?: string;
}

const TITLE_LENGTH = 60;

/** The beginning of the first message, until a model has written a title. */
export function titleFrom(content: readonly StoredPart[]): string {
  const text = content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return 'New chat';
  const points = Array.from(text);
  if (points.length <= TITLE_LENGTH) return text;
  return `${points
    .slice(0, TITLE_LENGTH - 1)
    .join('')
    .trimEnd()}…`;
}

/** Results for the calls that are open at the end of a copied history. */
export function closing(copied: readonly MessageRow[], now: Date): NewMessage[] {
  let open: readonly OpenCall[] = [];
  for (const message of copied) {
    const { answered, opened } = callsDelta([message]);
    open = [...open.filter((call) => !answered.includes(call.tool_call_id)), ...opened];
  }
  return unanswered(open, CANCELLED, now);
}
