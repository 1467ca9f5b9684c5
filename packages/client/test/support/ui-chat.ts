import { Chat } from '@ai-sdk/react';
import { type ChatInit, parseJsonEventStream, type UIMessage, uiMessageChunkSchema } from 'ai';
import { expect } from 'vitest';

/** A chat as `useChat` keeps it. */
export function uiChat(init: ChatInit<UIMessage>): Chat<UIMessage> {
  // The package depends on an older `ai`, whose types are equal but not identical.
  return new Chat<UIMessage>(init as never);
}

/** All chunks of a response. Checks them against the AI SDK's schema, and the end marker. */
export async function chunksOf({
  body,
}: Response): Promise<{ type: string; [key: string]: unknown }[]> {
  if (body === null) throw new Error('there is no body');
  const [text, parsed] = body.tee();
  const chunks: { type: string }[] = [];
  const reader = parseJsonEventStream({ stream: parsed, schema: uiMessageChunkSchema }).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    expect(next.value).toMatchObject({ success: true });
    if (next.value.success) chunks.push(next.value.value);
  }
  expect((await new Response(text).text()).trimEnd()).toMatch(/data: \[DONE\]$/);
  return chunks;
}

/** Without undefined fields. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const textOf = (message: UIMessage | undefined): string =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
