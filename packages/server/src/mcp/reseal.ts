import type { Logger } from 'pino';
import { UnreadableSecret, type Vault } from '../secrets/vault.ts';
import { mcpSecretsOf, mcpSessionOf } from '../store/mcp-servers.ts';
import { listSealedMcp, resealMcpServer } from '../store/queries/mcp-servers.ts';
import { resealMcpSession } from '../store/queries/mcp-sessions.ts';
import type { Queryable } from '../store/statement.ts';

export async function resealMcp(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  let unreadable = 0;
  for (const { server_id, user_id, secrets } of await db.query(listSealedMcp)) {
    if (vault.isCurrent(secrets)) continue;
    const row = user_id === null ? mcpSecretsOf(server_id) : mcpSessionOf(server_id, user_id);
    try {
      const sealed = vault.seal(vault.open(secrets, row), row);
      await (user_id === null
        ? db.query(resealMcpServer, { id: server_id, before: secrets, after: sealed })
        : db.query(resealMcpSession, { server_id, user_id, before: secrets, after: sealed }));
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable += 1;
    }
  }
  if (unreadable === 0) return;
  log.error(
    { secrets: unreadable },
    'secrets of MCP servers cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or enter the secrets again',
  );
}
