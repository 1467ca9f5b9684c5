export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

/**
 * Whether a request that changes data comes from our own pages. Compares with the Host header, which was checked
 * before. Browsers always send the origin with such a request.
 */
export function isOwnOrigin({ host, origin, secFetchSite }: OriginHeaders): boolean {
  if (origin === undefined) return secFetchSite === 'same-origin';
  const own = host?.toLowerCase();
  return own !== undefined && [`http://${own}`, `https://${own}`].includes(origin.toLowerCase());
}
