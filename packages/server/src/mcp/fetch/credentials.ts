import type { Fetch } from './mcp-fetch.ts';

export interface Credentials {
  headers(): Promise<Readonly<Record<string, string>>>;
  /** New headers after the server rejected the current ones. Undefined: there are none. */
  renewed?(
    refused: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>> | undefined>;
}

export const fixedCredentials = (headers: Readonly<Record<string, string>>): Credentials => ({
  headers: () => Promise.resolve(headers),
});

/** Adds the credentials to every request. The SDK never sees them. */
export function authorizedFetch(fetch: Fetch, credentials: Credentials): Fetch {
  return async (input, init) => {
    const first = await credentials.headers();
    const answer = await fetch(input, withHeaders(init, first));
    if (answer.status !== 401 || credentials.renewed === undefined) return answer;
    const others = await credentials.renewed(first);
    if (others === undefined) return answer;
    await answer.body?.cancel();
    return await fetch(input, withHeaders(init, others));
  };
}

function withHeaders(init: RequestInit | undefined, more: Readonly<Record<string, string>>) {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return { ...init, headers };
}
