import { hasScope } from '../../auth/caller.ts';
import { McpFailure } from '../../mcp/mcp-failure.ts';
import { DatabaseUnavailable } from '../../store/unavailable.ts';
import type { Exchange } from '../exchange.ts';
import {
  MCP_INVALID_PAGE,
  MCP_SIGNED_IN_PAGE,
  mcpFailedPage,
  mcpContinuePage,
  MCP_SIGN_IN_PAGE,
} from './mcp-pages.ts';
import { parseQueryString } from '../request/query-string.ts';
import type { Services } from '../services.ts';

/** The redirect URL for authorization servers. */
export const MCP_CALLBACK = '/mcp/callback';

/** Marks the second request, which comes from a page of ours. */
const HERE = 'here';

/**
 * Finishes a sign-in to an MCP server for the user of this browser, who must have started it. Browsers do not send the
 * strict session cookie from another site, so a page of ours loads the address a second time.
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
  if (code === undefined || state === undefined) return { page: MCP_INVALID_PAGE, status: 400 };
  const { caller } = await authorizer.identify(exchange.credentials);
  if (caller === null || !hasScope(caller, 'write')) {
    if (query[HERE] !== undefined) return { page: MCP_SIGN_IN_PAGE, status: 401 };
    return { page: mcpContinuePage(`${MCP_CALLBACK}${exchange.search}&${HERE}=1`), status: 200 };
  }
  try {
    const serverId = await mcp.signIns.finish(caller.user.id, { code, state, iss });
    if (serverId === undefined) return { page: MCP_INVALID_PAGE, status: 400 };
    mcp.changed(serverId, caller.user.id);
    return { page: MCP_SIGNED_IN_PAGE, status: 200 };
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    log.warn({ err: failure }, 'a sign-in to an MCP server failed');
    const { explain } = await import('../../mcp/explain.ts');
    const fault =
      failure instanceof McpFailure
        ? failure
        : explain(failure, 'the server', 'The sign-in failed');
    return { page: mcpFailedPage(fault.message), status: 502 };
  }
}
