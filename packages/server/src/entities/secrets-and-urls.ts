import { Refused, refusedField } from '../chat/refused.ts';
import { checkUrl, UrlNotAllowed } from '../providers/fetch/url-check.ts';
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
export async function checkAllowedUrl(
  path: string,
  url: string,
  allowPrivate: () => Promise<boolean>,
): Promise<void> {
  try {
    await checkUrl(url, await allowPrivate());
  } catch (error) {
    if (!(error instanceof UrlNotAllowed)) throw error;
    throw refusedField(path, error.message, 'url_not_allowed');
  }
}
