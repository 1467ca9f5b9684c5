import type { Config } from '../config.ts';

/** `broken` is what keeps chatd from working; `warning` is what may surprise somebody one day. */
export type Level = 'ok' | 'warning' | 'broken';

/** What was looked at, and what was found. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** What to do about it; always there unless all is well. */
  readonly hint?: string;
}

export interface DoctorContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The database, when it could be reached. */
  readonly databaseUrl: string | undefined;
  /** A server of this data directory runs now, at this address. */
  readonly runningAt: string | undefined;
}

/** Looks at one thing. Throws nothing: what goes wrong is what it found. */
export interface Check {
  readonly name: string;
  look(examined: DoctorContext): Promise<Finding[]>;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });

export const warning = (check: string, message: string, hint: string): Finding => ({
  check,
  level: 'warning',
  message,
  hint,
});

export const broken = (check: string, message: string, hint: string): Finding => ({
  check,
  level: 'broken',
  message,
  hint,
});

/** What our own errors know to do. */
export const fromError = (check: string, error: unknown): Finding => {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return broken(check, message, typeof hint === 'string' ? hint : 'See the message.');
};
