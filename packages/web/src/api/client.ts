import { createClient, type Fetch } from '@chatd/client';

let tellEnd: () => void = () => undefined;

/** Called when a call fails because the session has ended. */
export function whenSessionEnds(tell: () => void): void {
  tellEnd = tell;
}

/** Reports the end of the session. */
export const sessionFetch: Fetch = async (input, init) => {
  const response = await fetch(input, init);
  // A wrong password also answers 401.
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

/** A chat that is shown by its link, without an account. */
export interface ChatLink {
  readonly chatId: string;
  /** The part after `#`, which browsers do not send. Empty: the link is incomplete. */
  readonly secret: string;
}

/** Undefined: this page needs a session. */
export const link: ChatLink | undefined = linkIn(location);

function linkIn({ pathname, hash }: Location): ChatLink | undefined {
  const chatId = /^\/shared\/([^/]+)\/?$/.exec(pathname)?.[1];
  return chatId === undefined ? undefined : { chatId, secret: hash.slice(1) };
}

/** The origin of this page, authenticated by the session cookie, or by the link that the page was opened with. */
export const client = createClient({
  url: location.origin,
  fetch: sessionFetch,
  ...(link !== undefined && { token: link.secret }),
});

/** The URL of a route that is not called with fetch: a WebSocket or a download. */
export const apiPath = (path: `/${string}`): string => `/api/v1${path}`;
