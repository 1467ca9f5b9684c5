import type { Clock } from '@chatd/loop';
import type { ProcessExit } from '../../machine/drivers/driver.ts';
import type { Commands } from '../../machine/machine.ts';

/** Undefined: the command still runs, or does not exist. Throws the abort reason of the signal. */
export async function waitForExit(
  clock: Clock,
  commands: Commands,
  id: string,
  limitMs: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<ProcessExit | undefined> {
  const limit = new AbortController();
  const cancel = clock.after(limitMs, () => limit.abort());
  try {
    const exit = await commands.exit(id, AbortSignal.any([signal, limit.signal]));
    signal.throwIfAborted();
    return exit;
  } finally {
    cancel();
  }
}
