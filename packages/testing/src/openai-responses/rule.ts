import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { asText, objects } from '../json.ts';

export interface Context {
  body: JsonObject;
  issued: Issued;
}

export type ResponsesRule = Rule<Context>;

/** The input as items; plain text counts as one message. */
export function inputOf({ input }: JsonObject): JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input);
}

/** The IDs of the responses that the request builds on, nearest first. */
export function chainOf({ body, issued }: Context): string[] {
  const chain: string[] = [];
  let id = asText(body['previous_response_id']);
  while (id !== '' && !chain.includes(id)) {
    chain.push(id);
    id = issued.responses.get(id)?.previous ?? '';
  }
  return chain;
}
