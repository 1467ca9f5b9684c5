import type { JsonObject } from './json.ts';

/**
 * What a fake provider handed out and expects back unchanged. The real services seal these values with keys of
 * their own; the fake one keeps a list.
 */
export interface Issued {
  /** Signature of a thinking block, with its text when that is known. */
  signatures: Map<string, string | undefined>;
  /** Opaque values: redacted thinking, encrypted search results, encrypted reasoning. */
  sealed: Set<string>;
  /** Stored OpenAI responses, by id. */
  responses: Map<string, StoredResponse>;
  /** Stored OpenAI output items, by id. */
  items: Map<string, JsonObject>;
}

export interface StoredResponse {
  /** Function calls that the next request must answer. */
  openCalls: readonly string[];
}

export function nothingIssued(): Issued {
  return { signatures: new Map(), sealed: new Set(), responses: new Map(), items: new Map() };
}

/** Values that a test put into a history itself. */
export interface Remembered {
  signatures?: readonly string[];
  sealed?: readonly string[];
  responseIds?: readonly string[];
  itemIds?: readonly string[];
}

export function remember(issued: Issued, values: Remembered): void {
  for (const signature of values.signatures ?? []) issued.signatures.set(signature, undefined);
  for (const value of values.sealed ?? []) issued.sealed.add(value);
  for (const id of values.responseIds ?? []) issued.responses.set(id, { openCalls: [] });
  for (const id of values.itemIds ?? []) issued.items.set(id, { id });
}
