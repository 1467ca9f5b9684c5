import type { JsonObject } from './json.ts';

/**
 * What a fake provider handed out and expects back unchanged. The real services seal these values with keys of
 * their own; the fake one keeps a list.
 */
export interface Issued {
  /** Signatures of thinking, with the text when that is known. */
  signatures: Map<string, string | undefined>;
  /** Opaque values: redacted thinking, encrypted search results, encrypted reasoning. */
  sealed: Set<string>;
  /** Stored OpenAI responses, by id. */
  responses: Map<string, StoredResponse>;
  /** Stored OpenAI output items, by id. */
  items: Map<string, StoredItem>;
}

export interface StoredResponse {
  items: readonly string[];
  /** Call ids of its function calls, which the next request of the chain must answer. */
  calls: readonly string[];
  previous?: string;
}

export interface StoredItem {
  type: string;
  /** The reasoning item without which this one may not be sent. */
  needs?: string;
  /** The item that must be sent right after this reasoning item. A response that was cut off has none. */
  follower?: { id: string; callId?: string };
  /** A call of the service's computer tool, whole. */
  call?: JsonObject;
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
  for (const id of values.responseIds ?? []) issued.responses.set(id, { items: [], calls: [] });
  for (const id of values.itemIds ?? []) issued.items.set(id, { type: 'unknown' });
}
