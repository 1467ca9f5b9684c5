import type { Message } from '@chatd/protocol';

export interface Match {
  readonly messageId: number;
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

const AROUND = 40;
const MOST = 500;

/** Matches in visible text, newest first, ignoring case. */
export function matchesIn(messages: readonly Message[], words: string): Match[] {
  const wanted = words.trim().toLowerCase();
  if (wanted.length < 2) return [];
  const matches: Match[] = [];
  for (let at = messages.length - 1; at >= 0 && matches.length < MOST; at -= 1) {
    const message = messages[at];
    if (message !== undefined) addMatches(message, wanted, matches);
  }
  return matches;
}

function addMatches({ id, content }: Message, wanted: string, matches: Match[]): void {
  for (const part of content) {
    const text = part.type === 'text' ? part.text : '';
    const lower = text.toLowerCase();
    // Case folding may change the length of a text, which would shift positions.
    const source = lower.length === text.length ? text : lower;
    let from = lower.indexOf(wanted);
    while (from !== -1 && matches.length < MOST) {
      const end = from + wanted.length;
      matches.push({
        messageId: id,
        before: source.slice(Math.max(0, from - AROUND), from),
        found: source.slice(from, end),
        after: source.slice(end, end + AROUND),
      });
      from = lower.indexOf(wanted, end);
    }
  }
}
