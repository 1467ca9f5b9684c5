import { ChatdUnreachable } from '@chatd/client';
import { connection } from './connection.ts';

/** Calls the server, again after each outage. Undefined: the server refused the call, or the signal is aborted. */
export async function whenReachable<T>(
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    try {
      const result = await call();
      return signal.aborted ? undefined : result;
    } catch (error) {
      if (!(error instanceof ChatdUnreachable)) return undefined;
      await connection.restored();
      if (signal.aborted) return undefined;
    }
  }
}
