export interface Scenario {
  name: string;
  /** One answer with many deltas, or steps with one tool call each. */
  work: 'text' | 'tools';
  /** Concurrent streams. */
  streams: number;
  /** Sequential streams in the same process; values are per stream. */
  repeat: number;
  /** Text deltas per answer. */
  deltas: number;
  /** Delay between events; 0 sends all events at once. */
  gapMs: number;
}

export const STEPS = 20;

/** Text deltas, and argument deltas, per step with a tool call. */
export const STEP_DELTAS = 5;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'text, burst, 1', work: 'text', streams: 1, repeat: 20, deltas: 2_000, gapMs: 0 },
  { name: 'text, burst, 200', work: 'text', streams: 200, repeat: 1, deltas: 2_000, gapMs: 0 },
  { name: 'text, paced, 1', work: 'text', streams: 1, repeat: 1, deltas: 2_000, gapMs: 2 },
  { name: 'text, paced, 200', work: 'text', streams: 200, repeat: 1, deltas: 200, gapMs: 40 },
  { name: 'tools, burst, 1', work: 'tools', streams: 1, repeat: 10, deltas: 20, gapMs: 0 },
  { name: 'tools, burst, 200', work: 'tools', streams: 200, repeat: 1, deltas: 20, gapMs: 0 },
  { name: 'tools, paced, 1', work: 'tools', streams: 1, repeat: 1, deltas: 20, gapMs: 2 },
  { name: 'tools, paced, 200', work: 'tools', streams: 200, repeat: 1, deltas: 20, gapMs: 40 },
];

export function wordOf(index: number): string {
  return `word${index} `;
}

/** The expected text. */
export function expectedText({ work, deltas }: Scenario): string {
  const last = words(deltas);
  return work === 'text' ? last : words(STEP_DELTAS).repeat(STEPS - 1) + last;
}

function words(count: number): string {
  return Array.from({ length: count }, (_none, index) => wordOf(index)).join('');
}
