const KIB = 1024;
const MIB = 1024 * KIB;

/** Bounds for everything that the other side of a link can make this side hold. */
export const LINK_LIMITS = {
  /** One message of the channel. */
  message: 4 * MIB,
  /** Longer bodies are sent in parts of this size, so that other frames get between them. */
  part: 256 * KIB,
  /** Shorter parts are refused: each costs memory beyond its bytes. */
  smallestPart: 4 * KIB,
  /** The header of a part, or of data of a stream. */
  header: 256,
  /** The body of one request or answer. */
  body: 32 * MIB,
  /** Bodies of a link that are not complete. */
  bodies: 128 * MIB,
  /** Bytes of one stream that were sent and not yet taken. */
  window: 256 * KIB,
  /** Open requests and streams of a link. */
  requests: 4096,
  /** Input of one stream that waits for its window. */
  input: 4 * MIB,
} as const;

/** Between two pings of the client. */
export const PING_MS = 5000;
/** A frame that arrives this long after the previous one may have been given up: the link ends unread. */
export const STALE_MS = 10_000;
/** Silence after which a link is given up. Longer than `STALE_MS`: what is given up is not run later. */
export const SILENCE_MS = 15_000;
