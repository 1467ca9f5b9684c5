import type { Chat, Message } from '@chatd/protocol';
import { expect, vi } from 'vitest';
import type { PlainApi } from './observe.ts';

/** The demo model, which answers the chats of the first version, is slow, and the machine may be busy. */
const POLLING = { timeout: 100_000, interval: 50 };

export const messagesOf = async (api: PlainApi, chat: string): Promise<Message[]> =>
  (await api.get<{ messages: Message[] }>(`/chats/${chat}/messages?limit=200`)).messages;

export const untilStatus = (api: PlainApi, chat: string, status: Chat['status']): Promise<void> =>
  vi.waitFor(
    async () => expect((await api.get<Chat>(`/chats/${chat}`)).status).toBe(status),
    POLLING,
  );

export const textOf = ({ content }: Message): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The ID of the last tool call. */
export function callIn(messages: readonly Message[]): string {
  const call = messages
    .flatMap(({ content }) => content)
    .findLast(({ type }) => type === 'tool-call');
  if (call?.type !== 'tool-call') throw new Error('there is no call');
  return call.tool_call_id;
}

/** The last tool result. */
export function resultIn(messages: readonly Message[]) {
  const result = messages
    .flatMap(({ content }) => content)
    .findLast(({ type }) => type === 'tool-result');
  if (result?.type !== 'tool-result') throw new Error('there is no result');
  return result;
}
