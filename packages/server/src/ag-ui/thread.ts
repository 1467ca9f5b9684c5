import { createHash } from 'node:crypto';

/** The id of the chat that the first run of a thread creates: the same for every run of the same user. */
export function chatOfThread(userId: string, threadId: string): string {
  const hex = createHash('sha256').update(`ag-ui ${userId} ${threadId}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  // UUIDv8 (RFC 9562): for ids that are derived from something else.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
