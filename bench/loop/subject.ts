/** A loop under test. `run` resolves with the complete text of the model. */
export interface Subject {
  run(url: string): Promise<string>;
}

export const SUBJECTS = ['doStream', 'loop', 'streamText'] as const;

export type SubjectName = (typeof SUBJECTS)[number];

export const SYSTEM = 'You are a benchmark.';
export const QUESTION = 'Go.';
export const MODEL = 'claude-sonnet-4-5';

export function add({ a, b }: { a: number; b: number }): number {
  return a + b;
}
