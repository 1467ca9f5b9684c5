import { session } from '../api/session.ts';
import { connection } from './connection.ts';

/**
 * Browsers do not report why a WebSocket was refused, so this waits until the server answers. Undefined: then retrying
 * may help.
 */
export async function whyRefused(): Promise<string | undefined> {
  await connection.restored();
  return session.state.get().kind === 'signed-out' ? 'You are signed out.' : undefined;
}
