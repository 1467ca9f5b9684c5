import { parseAccept } from 'hono/utils/accept';

/** Whether the client prefers this media type to JSON. Wildcards mean JSON. */
export function prefers(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return false;
  const preferred = parseAccept(accept.toLowerCase()).find(
    ({ type, q }) => q > 0 && (type === mediaType || type === 'application/json'),
  );
  return preferred?.type === mediaType;
}
