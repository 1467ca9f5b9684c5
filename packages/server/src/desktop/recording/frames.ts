import type { StoredPart } from '../../chat/row.ts';

export interface RecordingFrame {
  readonly fileId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The screenshots in the messages, in order. */
export function framesOf(
  messages: readonly { readonly content: readonly StoredPart[]; readonly created_at: Date }[],
): RecordingFrame[] {
  return messages.flatMap(({ content, created_at }) =>
    content.flatMap((part) => {
      if (part.type !== 'tool-result' || part.tool_name !== 'computer') return [];
      const at = part.created_at === undefined ? created_at.getTime() : Date.parse(part.created_at);
      return (part.file_ids ?? []).map((fileId) => ({ fileId, at }));
    }),
  );
}

/** At most `most` elements, evenly spaced, including the first and the last. */
export function sampled<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  const step = (all.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, index) => all[Math.round(index * step)]).filter(
    (one) => one !== undefined,
  );
}

const SHORTEST_S = 0.6;
const MAX_S = 2;

/** Display time of each frame in seconds: the real time, but limited, because models take long. */
export function durations(frames: readonly RecordingFrame[]): number[] {
  return frames.map(({ at }, index) => {
    const next = frames[index + 1];
    const took = next === undefined ? MAX_S : (next.at - at) / 1000;
    return Math.min(MAX_S, Math.max(SHORTEST_S, took));
  });
}
