import type { AwaitedCall, Chat, Message } from '@chatd/protocol';
import type { UIMessage } from 'ai';
import type { CallOptions } from '../call.ts';
import type { Client } from '../client.ts';
import { toUIMessages } from './ui-messages.ts';

/** Loads a chat with its messages, as initial state of `useChat`. */
export async function loadUIMessages(
  client: Client,
  chatId: string,
  options: CallOptions = {},
): Promise<{ readonly chat: Chat; readonly messages: UIMessage[] }> {
  const chat = await client.chats.get(chatId, options);
  const stored: Message[] = [];
  for await (const message of client.chats.eachMessage(chatId, options)) stored.unshift(message);
  const awaited = chat.status === 'requires_action' ? await awaitedCalls(client, chatId) : [];
  const tools = chat.dynamic_tools.map(({ name }) => name);
  return { chat, messages: toUIMessages(stored, { tools, awaited, url: client.url }) };
}

async function awaitedCalls(client: Client, chatId: string): Promise<readonly AwaitedCall[]> {
  for await (const event of client.chats.stream(chatId, { tail: 0 })) {
    if (event.type === 'action_required') return event.tool_calls;
    if (event.type === 'status' && event.status !== 'requires_action') break;
  }
  return [];
}
