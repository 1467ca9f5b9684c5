/** Interrupts a turn on Ctrl-C, on a signal, or after a timeout. */
export interface StopListener {
  timedOut(): boolean;
  signalled(): boolean;
  /** Stops listening. */
  close(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal interrupts the turn and keeps its output. A second one ends the process at once. */
export function listenForStop(options: {
  readonly timeoutMs: number | undefined;
  readonly interrupt: () => Promise<void>;
  readonly log: (line: string) => void;
}): StopListener {
  let timedOut = false;
  let signalled = false;
  const interrupt = () =>
    options.interrupt().catch((error: unknown) => {
      options.log(
        `Cannot interrupt the turn: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  const onSignal = () => {
    if (signalled) process.exit(130);
    signalled = true;
    options.log('Interrupting the turn. Press Ctrl-C again to exit and leave it running.');
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
    close() {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
