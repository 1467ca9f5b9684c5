import type { Config } from '../config.ts';

/** `broken`: chatd cannot work. `warning`: a possible problem. */
export type Level = 'ok' | 'warning' | 'broken';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** What to do. Present unless the level is `ok`. */
  readonly hint?: string;
}

export interface DoctorContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined: the database could not be reached. */
  readonly databaseUrl: string | undefined;
  /** The address of a server that runs on this data directory. */
  readonly runningAt: string | undefined;
}

/** A check never throws: failures are findings. */
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

export const fromError = (check: string, error: unknown): Finding => {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return broken(check, message, typeof hint === 'string' ? hint : 'See the message.');
};
