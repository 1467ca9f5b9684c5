import { ChatdProblem } from '@chatd/client';
import { client } from '../api/client.ts';
import { session } from '../api/session.ts';

/**
 * A browser does not tell why a WebSocket was not opened; a call does. Undefined when another try may help: the server
 * is away, or busy.
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
