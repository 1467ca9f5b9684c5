import type { McpAuth, McpAuthInput } from '@chatd/protocol';
import { mcpSecretsOf, type McpServerRow } from '../store/mcp-servers.ts';
import type { Vault } from '../secrets/vault.ts';

/** The encrypted values of a server: the secret of its auth, and the environment of its command. */
export interface ServerSecrets {
  readonly auth?: string;
  readonly env: Readonly<Record<string, string>>;
}

const AUTH = 'auth';
const ENV = 'env.';

/** Throws `UnreadableSecret` if the key has changed. */
export function openSecrets({ id, secrets }: Pick<McpServerRow, 'id' | 'secrets'>, vault: Vault) {
  return secrets === null ? { env: {} } : unpacked(vault.open(secrets, mcpSecretsOf(id)));
}

/** Flat, because the vault registers each value for redaction in logs. */
export function packed({ auth, env }: ServerSecrets): Record<string, string> {
  return {
    ...(auth !== undefined && { [AUTH]: auth }),
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [`${ENV}${name}`, value])),
  };
}

function unpacked(sealed: Readonly<Record<string, string>>): ServerSecrets {
  const env = Object.entries(sealed).filter(([name]) => name.startsWith(ENV));
  return {
    ...(sealed[AUTH] !== undefined && { auth: sealed[AUTH] }),
    env: Object.fromEntries(env.map(([name, value]) => [name.slice(ENV.length), value])),
  };
}

/** Splits public fields from the secret. */
export function splitAuth(input: McpAuthInput): { auth: McpAuth; secret: string | undefined } {
  switch (input.type) {
    case 'none':
      return { auth: input, secret: undefined };
    case 'bearer':
      return { auth: { type: 'bearer' }, secret: input.token };
    case 'header':
      return { auth: { type: 'header', name: input.name }, secret: input.value };
    case 'oauth': {
      const { client_secret, ...shown } = input;
      const has_client_secret = client_secret !== undefined;
      return { auth: { ...shown, has_client_secret }, secret: client_secret };
    }
  }
}
