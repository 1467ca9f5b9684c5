import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { objects } from '../json.ts';

export interface Context {
  request: WireRequest;
  body: JsonObject;
  issued: Issued;
}

export type AnthropicRule = Rule<Context>;

export interface Located {
  /** Path in the service's notation: `messages.1.content.0`. */
  path: string;
  role: unknown;
  /** Index of the message. */
  message: number;
  block: JsonObject;
}

/** The content blocks of a message; plain text counts as one block. */
export function blocksOf(message: JsonObject): JsonObject[] {
  const { content } = message;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

export function allBlocks(body: JsonObject): Located[] {
  return objects(body['messages']).flatMap((message, at) =>
    blocksOf(message).map((block, index) => ({
      path: `messages.${at}.content.${index}`,
      role: message['role'],
      message: at,
      block,
    })),
  );
}
