/** What ends a turn from outside: Ctrl-C, a signal, or the time that it was given. */
export interface Stopping {
  timedOut(): boolean;
  signalled(): boolean;
  /** No longer listens. */
  end(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal stops the turn in order, and what was said is kept; a second one ends us at once. */
export function untilStopped(options: {
  readonly timeoutMs: number | undefined;
  readonly interrupt: () => Promise<void>;
  readonly say: (line: string) => void;
}): Stopping {
  let timedOut = false;
  let signalled = false;
  const interrupt = () =>
    options.interrupt().catch((error: unknown) => {
      options.say(
        `The turn could not be stopped: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  const onSignal = () => {
    if (signalled) process.exit(130);
    signalled = true;
    options.say('Stopping the turn; once more leaves it running and ends this program');
    void interrupt();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          void interrupt();
        }, options.timeoutMs);
  return {
    timedOut: () => timedOut,
    signalled: () => signalled,
    end() {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
