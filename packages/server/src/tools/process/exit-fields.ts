import type { JsonObject } from '@chatd/protocol';
import type { ProcessExit } from '../../machine/drivers/driver.ts';

/** How a process ended, as reported to the model. */
export function exitFields({ code, signal }: ProcessExit): JsonObject {
  if (signal === null) return { exit_code: code };
  // The kernel's out-of-memory killer uses this signal too.
  const note =
    signal === 'SIGKILL' ? { note: 'Killed: by request, or because memory ran out.' } : {};
  return { exit_code: null, signal, ...note };
}
