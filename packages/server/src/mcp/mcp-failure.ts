/** An MCP failure. Its message, for users and models, says what happened and what to do. */
export class McpFailure extends Error {
  override readonly name = 'McpFault';
  /** The server has not acted on the request, so repeating it is safe. */
  readonly harmless: boolean;
  /** The connection cannot be used any more. */
  readonly lost: boolean;
  /** It is unknown whether the server has acted on the request. */
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

export const signInNeeded = (server: string): McpFailure =>
  new McpFailure(
    `${server} requires a sign-in. Sign in under MCP servers in the web UI, or with POST /api/v1/mcp-servers/ID/sign-in.`,
    { harmless: true, lost: true },
  );
