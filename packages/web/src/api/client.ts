import { createClient, type Fetch } from '@chatd/client';

let tellEnd: () => void = () => undefined;

/** Called when a call is refused because nobody is signed in any more. */
export function whenSessionEnds(tell: () => void): void {
  tellEnd = tell;
}

const watchingTheSession: Fetch = async (input, init) => {
  const response = await fetch(input, init);
  // A wrong password is a 401, too.
  if (response.status === 401 && (await codeOf(response.clone())) === 'unauthenticated') tellEnd();
  return response;
};

async function codeOf(response: Response): Promise<unknown> {
  try {
    return ((await response.json()) as { readonly code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}

/** The server that served this page, with the session's cookie. */
export const client = createClient({ url: location.origin, fetch: watchingTheSession });

/** The address of a call that is not made by fetch: a WebSocket, a download. */
export const apiPath = (path: `/${string}`): string => `/api/v1${path}`;
