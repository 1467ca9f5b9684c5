/** The token of an Authorization header. Undefined for other schemes. */
export const bearerSecret = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
