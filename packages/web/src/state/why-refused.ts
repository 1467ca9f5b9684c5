import { ChatdProblem } from '@chatd/client';
import { client } from '../api/client.ts';
import { session } from '../api/session.ts';

/**
 * Browsers do not report why a WebSocket was refused, so this asks the API. Undefined when retrying may help: the
 * server is down or busy.
 */
export async function whyRefused(): Promise<string | undefined> {
  try {
    await client.call('getMe', {});
    return undefined;
  } catch (error) {
    if (!(error instanceof ChatdProblem) || error.status !== 401) return undefined;
    session.signedOut();
    return 'You are signed out.';
  }
}
