import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits: there is nothing to guess, so a plain hash keeps it safe at rest. */
export const newSecret = (prefix = ''): string =>
  `${prefix}${randomBytes(32).toString('base64url')}`;

export const hashSecret = (secret: string): Buffer =>
  createHash('sha256').update(secret, 'utf8').digest();

/** Recognisable in a leaked log or a repository. */
export const TOKEN_PREFIX = 'chatd_';
