import { hasScope } from '../../auth/caller.ts';
import { McpFailure } from '../../mcp/mcp-failure.ts';
import { explain } from '../../mcp/explain.ts';
import { DatabaseUnavailable } from '../../store/unavailable.ts';
import type { Exchange } from '../exchange.ts';
import {
  MCP_BEGIN_AGAIN_PAGE,
  MCP_SIGNED_IN_PAGE,
  mcpFailedPage,
  mcpGoOnPage,
  MCP_SIGN_IN_PAGE,
} from './mcp-pages.ts';
import { parseQueryString } from '../request/query-string.ts';
import type { Services } from '../services.ts';

/** Where authorization servers send the browsers of users back to. */
export const MCP_CALLBACK = '/mcp/callback';

/** This time the browser comes from a page of ours. */
const HERE = 'here';

/**
 * The end of a sign-in to an MCP server. It counts for the user of this browser alone, who must be the one who began
 * it. A strict cookie does not come along from another site: a page of ours brings it.
 */
export async function mcpCallback(
  { authorizer, mcp, log }: Pick<Services, 'authorizer' | 'mcp' | 'log'>,
  exchange: Exchange,
): Promise<{ page: string; status: number }> {
  const query = parseQueryString(exchange.search);
  const { code, state, iss, error, error_description } = query;
  if (error !== undefined) {
    return { page: mcpFailedPage(error_description ?? error), status: 400 };
  }
  if (code === undefined || state === undefined) return { page: MCP_BEGIN_AGAIN_PAGE, status: 400 };
  const { caller } = await authorizer.identify(exchange.credentials);
  if (caller === null || !hasScope(caller, 'write')) {
    if (query[HERE] !== undefined) return { page: MCP_SIGN_IN_PAGE, status: 401 };
    return { page: mcpGoOnPage(`${MCP_CALLBACK}${exchange.search}&${HERE}=1`), status: 200 };
  }
  try {
    const serverId = await mcp.signIns.finish(caller.user.id, { code, state, iss });
    if (serverId === undefined) return { page: MCP_BEGIN_AGAIN_PAGE, status: 400 };
    mcp.changed(serverId, caller.user.id);
    return { page: MCP_SIGNED_IN_PAGE, status: 200 };
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    log.warn({ err: failure }, 'a sign-in to an MCP server failed');
    const fault =
      failure instanceof McpFailure
        ? failure
        : explain(failure, 'the server', 'The sign-in failed');
    return { page: mcpFailedPage(fault.message), status: 502 };
  }
}
