import type { JsonObject } from '@chatd/protocol';
import type { ProcessExit } from '../../workspaces/driver.ts';

/** How a process ended, as the model is told. */
export function exitFields({ code, signal }: ProcessExit): JsonObject {
  if (signal === null) return { exit_code: code };
  // The signal of the kernel when memory is over; nobody else tells the model.
  const note = signal === 'SIGKILL' ? { note: 'Killed: by request, or for want of memory.' } : {};
  return { exit_code: null, signal, ...note };
}
