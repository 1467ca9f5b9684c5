import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { objects } from '../json.ts';

export interface Context {
  body: JsonObject;
  model: string;
  query: string;
  streams: boolean;
  /** The size of the request. */
  bytes: number;
  issued: Issued;
}

export type GoogleRule = Rule<Context>;

export function contentsOf(body: JsonObject): JsonObject[] {
  return objects(body['contents']);
}

export function partsWith(content: JsonObject | undefined, field: string): JsonObject[] {
  return objects(content?.['parts']).filter((part) => field in part);
}
