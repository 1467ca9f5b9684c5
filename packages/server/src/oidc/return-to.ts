const MAX_LENGTH = 1500;
const ANY_ORIGIN = 'http://localhost';

/** The path of this server to continue at. Anything else becomes the start page, so that no link leads to another site. */
export function returnPath(given: string | undefined): string {
  if (given === undefined || !given.startsWith('/') || given.length > MAX_LENGTH) return '/';
  if (!URL.canParse(given, ANY_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(given, ANY_ORIGIN);
  // `/.//example.org` is normalized to a path that browsers read as a host.
  return origin === ANY_ORIGIN && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
