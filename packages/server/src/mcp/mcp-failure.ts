/** What went wrong with a server. Its message is for people and for the model: what happened, and what to do. */
export class McpFailure extends Error {
  override readonly name = 'McpFault';
  /** The server has not acted on what it was asked: to ask again does no harm. */
  readonly harmless: boolean;
  /** Nothing more can be had from this connection. */
  readonly lost: boolean;
  /** It may or may not have acted: nobody can tell from here. */
  readonly unsure: boolean;

  constructor(message: string, more: McpFailureDetails & { readonly cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.harmless = more.harmless ?? false;
    this.lost = more.lost ?? false;
    this.unsure = more.unsure ?? false;
  }
}

export interface McpFailureDetails {
  readonly harmless?: boolean;
  readonly lost?: boolean;
  readonly unsure?: boolean;
}

/** The user for whom the agent works has to sign in first, or again. */
export const signInNeeded = (server: string): McpFailure =>
  new McpFailure(
    `${server} does not know its user: sign in to it first (in chatd, under MCP servers, or with POST /api/v1/mcp-servers/ID/sign-in).`,
    { harmless: true, lost: true },
  );
