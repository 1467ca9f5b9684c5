import { type Dispatcher, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import { McpFailure } from '../mcp-failure.ts';
import { sizeLimitedFetch } from './size-limited-fetch.ts';

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

const EMPTY = new Set([101, 204, 205, 304]);

/**
 * What the MCP client calls instead of the global one: addresses are checked when they are connected to, redirects are
 * not followed, and no answer fills the memory.
 */
export function mcpFetch(dispatcher: Dispatcher): Fetch {
  return async (input, init = {}) => {
    const asked = { ...init, dispatcher, redirect: 'manual' } as unknown as UndiciInit;
    const answer = await undiciFetch(input, asked);
    const { status, statusText } = answer;
    if (status >= 300 && status < 400) {
      await answer.body?.cancel();
      throw new McpFailure(
        `The server answered with a redirect (HTTP ${status}), which is not followed: check its url.`,
        { harmless: true, lost: true },
      );
    }
    // The SDK asks for instances of the global class.
    const headers = [...answer.headers] as [string, string][];
    const body = EMPTY.has(status) ? null : (answer.body as ReadableStream<Uint8Array> | null);
    return new Response(body && sizeLimitedFetch(body, answer.headers.get('content-type')), {
      status,
      statusText,
      headers,
    });
  };
}
