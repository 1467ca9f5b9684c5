import { type KeyObject, sign } from 'node:crypto';

/** Clocks differ. */
const SKEW_SECONDS = 60;
/** GitHub accepts at most 10 minutes. */
const LIFETIME_SECONDS = 9 * 60;

/** A signed statement (a JWT) with which a GitHub App authenticates. `now` is in milliseconds. */
export function appAssertion(appId: string, key: KeyObject, now: number): string {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - SKEW_SECONDS, exp: seconds + LIFETIME_SECONDS, iss: appId };
  const content = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
}
