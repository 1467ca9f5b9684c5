import type { OidcOptions } from './options.ts';

/** What the provider says about an account. */
export interface Profile {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  /** A valid user name. Another user may have it. */
  readonly username: string;
  readonly groups: readonly string[];
}

type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

export function profileOf(
  claims: Claims,
  { groupsClaim }: Pick<OidcOptions, 'groupsClaim'>,
): Profile {
  const email = textOf(claims['email']);
  const names = [claims['preferred_username'], email, claims['name'], claims['nickname']];
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    // Some providers send text.
    emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    username: names.map(usernameFrom).find((name) => name !== undefined) ?? 'user',
    groups: groupsOf(claimAt(claims, groupsClaim)),
  };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const MAX_USERNAME = 40;

/** Lower-case ASCII, without the domain of an e-mail address. Undefined: nothing is left. */
function usernameFrom(value: unknown): string | undefined {
  const text = textOf(value)?.split('@')[0]?.normalize('NFKD').toLowerCase() ?? '';
  const name = text
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, MAX_USERNAME)
    .replace(/[._-]+$/, '');
  return name === '' ? undefined : name;
}

/** Names of claims may contain dots, so the whole name comes first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Some providers send one group as text. */
function groupsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? (value as unknown[]) : [value];
  return [...new Set(all.map(textOf).filter((name) => name !== undefined))];
}
