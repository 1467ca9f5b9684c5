import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { masterKey, splitKeys } from '../secrets/master-key.ts';
import { Vault } from '../secrets/vault.ts';
import { providerSecretsOf, userKeyOf } from '../store/providers.ts';
import { listSealed, type SealedRow } from '../store/queries/providers.ts';
import { broken, type Check, type DoctorContext, type Finding, ok, warning } from './finding.ts';

const NAME = 'keys';

/** Whether the server can decrypt the stored API keys of providers. */
export const secretsCheck: Check = {
  name: NAME,
  async look(examined) {
    if (examined.databaseUrl === undefined) return [];
    const vault = await vaultOf(examined);
    const client = new Client({ connectionString: examined.databaseUrl });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<SealedRow>(listSealed.text);
      return judged(rows, vault, examined);
    } catch {
      // No tables or no database: reported by other checks.
      return [];
    } finally {
      await client.end().catch(() => undefined);
    }
  },
};

/** Unlike the server, does not create a key. */
async function vaultOf({ config }: DoctorContext): Promise<Vault> {
  const kept =
    config.databaseUrl === undefined
      ? await readFile(join(config.dataDir, 'secret.key'), 'utf8').catch(() => '')
      : '';
  const texts = [
    ...splitKeys(config.secretKey ?? ''),
    ...(kept.trim() === '' ? [] : [kept.trim()]),
  ];
  return new Vault(await Promise.all(texts.map(masterKey)));
}

function judged(rows: readonly SealedRow[], vault: Vault, { config }: DoctorContext): Finding[] {
  const lost = rows.filter(({ provider_id, user_id, secrets }) => {
    const row = user_id === null ? providerSecretsOf(provider_id) : userKeyOf(provider_id, user_id);
    try {
      vault.open(secrets, row);
      return false;
    } catch {
      return true;
    }
  });
  if (lost.length > 0) {
    return [
      broken(
        NAME,
        `${lost.length} of ${rows.length} stored provider keys cannot be decrypted.`,
        'Set CHATD_SECRET_KEY to the key with which they were stored (restore secret.key from a backup), or enter the provider keys again.',
      ),
    ];
  }
  if (rows.length > 0)
    return [ok(NAME, `All ${rows.length} stored provider keys can be decrypted.`)];
  if (config.databaseUrl !== undefined && !vault.canSeal) {
    return [
      warning(
        NAME,
        'Provider keys cannot be stored.',
        'Set CHATD_SECRET_KEY to the same value on all replicas.',
      ),
    ];
  }
  return [ok(NAME, 'No provider keys are stored.')];
}
