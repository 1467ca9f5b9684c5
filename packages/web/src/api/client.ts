import { createClient } from '@chatd/client';

/** The server that served this page, with the session's cookie. */
export const client = createClient({ url: location.origin });

/** The address of a call that is not made by fetch: a WebSocket, a download. */
export const apiPath = (path: `/${string}`): string => `/api/v1${path}`;
