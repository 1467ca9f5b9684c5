import { Refused, refusedField } from '../chat/refused.ts';
import { checkDestination, checkUrl, UrlNotAllowed } from '../providers/fetch/url-check.ts';
import type { Vault } from '../secrets/vault.ts';

export const secretKeyRequired = (): Refused =>
  new Refused(
    'secret_key_required',
    'Secrets are stored encrypted, which requires a key. Set CHATD_SECRET_KEY to the same value on all replicas (create one with: openssl rand -base64 32).',
  );

/** Encrypts secrets for the row that they belong to. */
export function sealOrRefuse(
  vault: Vault,
  secrets: Readonly<Record<string, string>>,
  owner: string,
): string {
  if (!vault.canSeal) throw secretKeyRequired();
  return vault.seal(secrets, owner);
}

/** Refuses URLs that the server must not call: cloud metadata, and private addresses unless allowed. */
export const checkAllowedUrl = (path: string, url: string, allowPrivate: () => Promise<boolean>) =>
  refusing(path, async () => checkUrl(url, await allowPrivate()));

/** The same, for URLs that may contain a query. */
const checkAllowedDestination = (path: string, url: string, allowPrivate: () => Promise<boolean>) =>
  refusing(path, async () => checkDestination(url, await allowPrivate()));

/**
 * The same, for the targets of events, which all users can add. Private addresses are for admins only: they are usually
 * allowed for a model on the own network, and must not let members send requests to other hosts there.
 */
export async function checkTarget(
  path: string,
  url: string,
  owner: { readonly role: string },
  allowPrivate: () => Promise<boolean>,
): Promise<void> {
  await checkAllowedDestination(path, url, allowPrivate);
  if (owner.role === 'admin') return;
  await checkDestination(url, false).catch((error: unknown) => {
    if (!(error instanceof UrlNotAllowed)) throw error;
    const why = 'resolves to a private address. Only admins can use private addresses here';
    throw refusedField(path, why, 'url_not_allowed');
  });
}

async function refusing(path: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof UrlNotAllowed)) throw error;
    throw refusedField(path, error.message, 'url_not_allowed');
  }
}
