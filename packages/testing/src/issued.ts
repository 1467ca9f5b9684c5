import type { JsonObject } from './json.ts';

/**
 * Values that a fake provider issued and expects back unchanged. Real services encrypt them; the fake one keeps a list.
 */
export interface Issued {
  /** Signatures of thinking, with the text if known. */
  signatures: Map<string, string | undefined>;
  /** Opaque values: redacted thinking, encrypted search results, encrypted reasoning. */
  sealed: Set<string>;
  /** Stored OpenAI responses, by ID. */
  responses: Map<string, StoredResponse>;
  /** Stored OpenAI output items, by ID. */
  items: Map<string, StoredItem>;
}

export interface StoredResponse {
  items: readonly string[];
  /** Call IDs of its function calls, which the next request of the chain must answer. */
  calls: readonly string[];
  previous?: string;
}

export interface StoredItem {
  type: string;
  /** The reasoning item that must be sent with this item. */
  needs?: string;
  /** The item that must follow this reasoning item. A cut-off response has none. */
  follower?: { id: string; callId?: string };
  /** A complete call of the service's computer tool. */
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
