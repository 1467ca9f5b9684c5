import type { Clock } from '@chatd/protocol/clock';

/** The loop aborted the attempt because the provider was silent for too long. */
export class GuardTimeout extends Error {
  override readonly name = 'GuardTimeout';
  readonly kind: 'startup_timeout' | 'stream_silence_timeout';
  readonly waitedMs: number;
  constructor(kind: GuardTimeout['kind'], waitedMs: number) {
    super(`${kind} after ${waitedMs} ms`);
    this.kind = kind;
    this.waitedMs = waitedMs;
  }
}

export interface GuardLimits {
  startup_ms: number;
  silence_ms: number;
}

export interface Guard {
  /** A part arrived. Called for each part, so it only records the time; the timer checks it later. */
  heard(): void;
  release(): void;
}

/** Aborts if the first part does not arrive in time or the stream pauses for too long. */
export function guardStream(
  clock: Clock,
  limits: GuardLimits,
  cancel: (reason: GuardTimeout) => void,
): Guard {
  let last: number | undefined;
  let stop: () => void;
  const watch = (ms: number) => {
    stop = clock.after(ms, () => {
      if (last === undefined) {
        cancel(new GuardTimeout('startup_timeout', limits.startup_ms));
        return;
      }
      const left = last + limits.silence_ms - clock.now();
      if (left > 0) watch(left);
      else cancel(new GuardTimeout('stream_silence_timeout', limits.silence_ms));
    });
  };
  watch(limits.startup_ms);
  return {
    heard() {
      if (last === undefined) {
        stop();
        watch(limits.silence_ms);
      }
      last = clock.now();
    },
    release: () => stop(),
  };
}
