import { type Json, type Part, SUMMARY_TOOL } from '@chatd/protocol';

/** A value of a tool as text. */
export const asText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** The text of a message. */
export const textOf = (content: readonly { readonly type: string }[]): string =>
  content.map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : '')).join('');

/** Part of a summary, which clients do not see. */
export const isSummary = (part: Part): boolean =>
  (part.type === 'tool-call' || part.type === 'tool-result') && part.tool_name === SUMMARY_TOOL;
