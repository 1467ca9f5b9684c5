const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 15_000;

/** Backoff with jitter, so that pages do not reconnect at the same moment. */
export function reconnectDelay(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return longest / 2 + (longest / 2) * random;
}

/** The WebSocket URL of a path on this server. */
export function socketAddress(path: string): URL {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
