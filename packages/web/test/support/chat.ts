import type { Chat } from '@chatd/protocol';

/** A chat for tests without a server. */
export function aChat(over: Partial<Chat> & Pick<Chat, 'id'>): Chat {
  const at = '2026-03-01T10:00:00.000Z';
  return {
    owner_id: 'owner',
    title: over.id,
    status: 'waiting',
    archived: false,
    created_at: at,
    updated_at: at,
    active_at: at,
    model_config_id: 'model',
    reasoning_effort: null,
    labels: {},
    pin_order: 0,
    plan_mode: false,
    interrupted: false,
    has_unread: false,
    dynamic_tools: [],
    mcp_server_ids: [],
    queued_for_capacity: false,
    snapshot_version: 1,
    history_version: 1,
    queue_version: 0,
    ...over,
  };
}

export const chatsById = (...chats: readonly Chat[]): ReadonlyMap<string, Chat> =>
  new Map(chats.map((chat) => [chat.id, chat]));
