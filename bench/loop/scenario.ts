/** One piece of work, the same for everyone who is measured. */
export interface Scenario {
  name: string;
  /** One answer of many deltas, or a loop of steps that call a tool each. */
  work: 'text' | 'tools';
  /** At once. */
  streams: number;
  /** One after the other, in the same process; figures are per stream. */
  repeat: number;
  /** Of text in one answer. */
  deltas: number;
  /** Between two events of a stream; 0 sends all at once. */
  gapMs: number;
}

export const STEPS = 20;

/** Of text, and of arguments, in each step that calls a tool. */
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

/** What must have arrived at the end of the work. */
export function expectedText({ work, deltas }: Scenario): string {
  const last = words(deltas);
  return work === 'text' ? last : words(STEP_DELTAS).repeat(STEPS - 1) + last;
}

function words(count: number): string {
  return Array.from({ length: count }, (_none, index) => wordOf(index)).join('');
}
