export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

/**
 * Whether a request that changes something comes from our own pages. The Host was checked before: what a page
 * of ours was loaded from is what it is sent to. A browser always says where such a request comes from.
 */
export function isOwnOrigin({ host, origin, secFetchSite }: OriginHeaders): boolean {
  if (origin === undefined) return secFetchSite === 'same-origin';
  const own = host?.toLowerCase();
  return own !== undefined && [`http://${own}`, `https://${own}`].includes(origin.toLowerCase());
}
