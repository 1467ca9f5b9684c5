import { titleFrom } from '../chat/new-chat.ts';
import type { ChatRow, StoredPart } from '../chat/row.ts';
import type { NewMessage } from '../chat/writes.ts';
import type { ChatCreation } from '../store/commands/chat-creation.ts';
import { defaultMcpServers } from '../store/queries/mcp-servers.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';

type NewChatFields = Pick<ChatRow, 'owner_id'> &
  Partial<Pick<ChatRow, 'id' | 'reasoning_effort' | 'system_prompt' | 'labels' | 'dynamic_tools'>>;

/** A chat that a client of a protocol starts: what the protocol has no field for has its default. */
export const newChat = (content: readonly StoredPart[], fields: NewChatFields) => ({
  id: uuidv7(),
  title: titleFrom(content),
  title_source: 'first_message' as 'first_message' | 'user',
  reasoning_effort: null,
  system_prompt: null,
  labels: {},
  plan_mode: false,
  dynamic_tools: [],
  workspace_id: null,
  ...fields,
});

/** With the history that the client sends, and the default MCP servers. */
export async function createWithHistory(
  creation: ChatCreation,
  chat: ReturnType<typeof newChat> & Pick<ChatRow, 'model_config_id'>,
  status: 'running' | 'waiting',
  history: readonly NewMessage[],
  tx: Transaction,
): ReturnType<ChatCreation['createWithHistory']> {
  const servers = await tx.query(defaultMcpServers, { owner_id: chat.owner_id });
  const mcp_server_ids = servers.map(({ id }) => id);
  return await creation.createWithHistory(
    { ...chat, mcp_server_ids, parent: null },
    status,
    history,
    tx,
  );
}
