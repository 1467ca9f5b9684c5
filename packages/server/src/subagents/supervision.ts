import type { Settings } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import type { Recordings } from '../desktop/recording/recordings.ts';
import { findToolCall } from '../store/find-tool-call.ts';
import { ancestorsOfChat } from '../store/queries/chats/family.ts';
import { findChat } from '../store/queries/chats/find.ts';
import type { Store } from '../store/store.ts';
import type { Run } from '../tools/idle-tracking.ts';
import type { AgentWatch } from './agent-watch.ts';

export type AgentLimits = Pick<Settings, 'subagent_depth' | 'subagents_per_chat'>;

/** What the subagent tools of a chat need, for one turn. */
export interface SubagentContext {
  readonly chat: ChatRow;
  readonly store: Store;
  readonly watch: AgentWatch;
  readonly run: Run;
  readonly limits: AgentLimits;
  /** Undefined: there are no desktops. */
  readonly recordings: Recordings | undefined;
}

/** A permanent key for a tool call. Call ids are unique only within a message. */
export async function callKey({ chat, store }: SubagentContext, callId: string): Promise<string> {
  const asked = await findToolCall(store.database, chat.id, callId);
  return `${chat.id}/${asked?.messageId ?? 0}/${callId}`;
}

/** Finds an agent below this chat, by walking up from the agent. */
export async function requireAgent({ chat, store }: SubagentContext, id: string): Promise<ChatRow> {
  const [agent] = UUID.test(id) ? await store.database.query(findChat, { id }) : [];
  const above =
    agent === undefined ? [] : await store.database.query(ancestorsOfChat, { chat_id: agent.id });
  const ours = above.some((ancestor) => ancestor.id === chat.id);
  if (agent === undefined || !ours || agent.deleted_at !== null) {
    throw new Error(`You have no agent ${id}. list_agents lists your agents.`);
  }
  return agent;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A read-only chat may not start agents that can make changes. */
export const isReadOnly = ({ plan_mode, agent_type }: ChatRow): boolean =>
  plan_mode || agent_type === 'explore';
