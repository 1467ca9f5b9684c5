import type { ToolState } from './tool-view.ts';

/** Infinitive, present participle and past tense: `['read', 'reading', 'read']`. */
export type Verb = readonly [base: string, going: string, done: string];

const PHRASES: Record<ToolState, (verb: Verb) => string> = {
  writing: ([, going]) => capital(going),
  running: ([, going]) => capital(going),
  awaiting: ([base]) => `Wants to ${base}`,
  approved: ([base]) => `Wants to ${base}`,
  done: ([, , done]) => capital(done),
  failed: ([base]) => `Could not ${base}`,
  denied: ([base]) => `Wanted to ${base}`,
  interrupted: ([, going]) => `Stopped ${going}`,
};

/** "Reading", "Read", "Could not read", by state. */
export const phrase = (state: ToolState, verb: Verb): string => PHRASES[state](verb);

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
