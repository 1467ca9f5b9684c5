import { type Dispatcher, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import { McpFailure } from '../mcp-failure.ts';
import { sizeLimitedFetch } from './size-limited-fetch.ts';

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

const EMPTY = new Set([101, 204, 205, 304]);

/**
 * The `fetch` of the MCP client. It checks addresses on connect, follows no redirects, and limits the size of messages.
 */
export function mcpFetch(dispatcher: Dispatcher): Fetch {
  return async (input, init = {}) => {
    const options = { ...init, dispatcher, redirect: 'manual' } as unknown as UndiciInit;
    const answer = await undiciFetch(input, options);
    const { status, statusText } = answer;
    if (status >= 300 && status < 400) {
      await answer.body?.cancel();
      throw new McpFailure(
        `The server responded with a redirect (HTTP ${status}), which is not followed. Check its url.`,
        { harmless: true, lost: true },
      );
    }
    // The SDK requires instances of the global class.
    const headers = [...answer.headers] as [string, string][];
    const body = EMPTY.has(status) ? null : (answer.body as ReadableStream<Uint8Array> | null);
    return new Response(body && sizeLimitedFetch(body, answer.headers.get('content-type')), {
      status,
      statusText,
      headers,
    });
  };
}
