import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { objects } from '../json.ts';

export interface Context {
  body: JsonObject;
  model: string;
  issued: Issued;
}

export type BedrockRule = Rule<Context>;

export interface Located {
  /** Path in the service's notation: `messages.1.content.0`. */
  path: string;
  role: unknown;
  /** Index of the message. */
  message: number;
  block: JsonObject;
}

export function messagesOf(body: JsonObject): JsonObject[] {
  return objects(body['messages']);
}

export function allBlocks(body: JsonObject): Located[] {
  return messagesOf(body).flatMap(({ role, content }, message) =>
    objects(content).map((block, index) => ({
      path: `messages.${message}.content.${index}`,
      role,
      message,
      block,
    })),
  );
}

/** The blocks of a message with this field, such as `toolUse`. */
export function blocksWith(message: JsonObject | undefined, field: string): JsonObject[] {
  return objects(message?.['content']).filter((block) => field in block);
}
