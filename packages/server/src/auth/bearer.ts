/** The secret of an Authorization header; undefined when it holds none of that kind. */
export const bearerSecret = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
