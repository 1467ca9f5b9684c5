import { ChatdProblem } from '@chatd/client';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { whyRefused } from '../../state/why-refused.ts';

const MOST = 10;

/** Browsers do not report why a WebSocket was refused, so this asks the API. Undefined when retrying may help. */
export async function whyNoTerminal(workspaceId: string): Promise<string | undefined> {
  const params = { workspace_id: workspaceId };
  try {
    const { status, name } = await client.call('getWorkspace', { params });
    if (status !== 'ready') return `Workspace ${name} is not running.`;
    const { terminals } = await client.call('listTerminals', { params });
    if (terminals.length < MOST) return undefined;
    return `The workspace has ${terminals.length} open terminals, the maximum. Close one first.`;
  } catch (error) {
    if (error instanceof ChatdProblem && error.status !== 401) return explain(error);
    return await whyRefused();
  }
}
