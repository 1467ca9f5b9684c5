import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, which cannot be guessed: a plain hash is enough at rest. */
export const newSecret = (prefix = ''): string =>
  `${prefix}${randomBytes(32).toString('base64url')}`;

export const hashSecret = (secret: string): Buffer =>
  createHash('sha256').update(secret, 'utf8').digest();

/** The token of an Authorization header. Undefined for other schemes. */
export const bearerSecret = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];

/** Lets secret scanners recognize tokens. */
export const TOKEN_PREFIX = 'chatd_';
export const MACHINE_TOKEN_PREFIX = 'chatd_machine_';
export const LINK_PREFIX = 'chatd_link_';
