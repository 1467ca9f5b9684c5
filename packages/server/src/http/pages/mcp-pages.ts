import { actionLink, escaped, page, refreshing } from './pages.ts';

const CLOSE = 'You can close this page.';

export const MCP_SIGNED_IN_PAGE = page(
  'You are signed in to the MCP server',
  `Your agents can use it from their next turn. ${CLOSE}`,
);

export const MCP_INVALID_PAGE = page(
  'This sign-in is no longer valid',
  'It was started by another user, is already finished, or is older than 15 minutes. Start it again in chatd.',
);

export const MCP_SIGN_IN_PAGE = page(
  'You are not signed in',
  'Sign in to chatd in this browser as the user who started the sign-in, and reload this page.',
  'Or send <code>code</code> and <code>state</code> of its address to <code>POST /api/v1/mcp-servers/ID/sign-in/finish</code>.',
);

export const mcpFailedPage = (why: string): string =>
  page('The sign-in to the MCP server failed', escaped(why), 'Start it again in chatd.');

/** Loads the same address again, from a page of ours. */
export const mcpContinuePage = (address: string): string =>
  refreshing(page('One moment', actionLink('Continue', escaped(address))), address);
