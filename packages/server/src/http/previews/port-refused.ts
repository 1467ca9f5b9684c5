import { Refused } from '../../chat/refused.ts';
import { PortUnavailable, SandboxClosed } from '../../machine/drivers/driver.ts';

/** Refuses the request if the port cannot be reached. */
export async function portRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PortUnavailable) throw new Refused('port_unavailable', error.message);
    if (error instanceof SandboxClosed) throw new Refused('workspace_not_ready', error.message);
    throw error;
  }
}
