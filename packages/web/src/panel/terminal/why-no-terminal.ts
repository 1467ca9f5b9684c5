import { ChatdProblem } from '@chatd/client';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { whyRefused } from '../../state/why-refused.ts';

const MOST = 10;

/** A browser does not tell why a WebSocket was not opened: asked otherwise. Undefined: another try may help. */
export async function whyNoTerminal(workspaceId: string): Promise<string | undefined> {
  const params = { workspace_id: workspaceId };
  try {
    const { status, name } = await client.call('getWorkspace', { params });
    if (status !== 'ready') return `The workspace ${name} is not running.`;
    const { terminals } = await client.call('listTerminals', { params });
    if (terminals.length < MOST) return undefined;
    return `The workspace has ${terminals.length} terminals open: close one first.`;
  } catch (error) {
    if (error instanceof ChatdProblem && error.status !== 401) return explain(error);
    return await whyRefused();
  }
}
