import type { Logger } from 'pino';
import { resealEach } from '../secrets/reseal-each.ts';
import type { Vault } from '../secrets/vault.ts';
import { mcpSecretsOf, mcpSessionOf } from '../store/mcp-servers.ts';
import { listSealedMcp, resealMcpServer } from '../store/queries/mcp-servers.ts';
import { resealMcpSession } from '../store/queries/mcp-sessions.ts';
import type { Queryable } from '../store/statement.ts';

/** Encrypts the secrets of MCP servers and of sessions with them with the first key. */
export async function resealMcp(db: Queryable, vault: Vault, log: Logger): Promise<void> {
  const rows = await db.query(listSealedMcp);
  const { unreadable } = await resealEach(
    vault,
    rows.map(({ server_id, user_id, secrets }) =>
      user_id === null
        ? {
            secrets,
            row: mcpSecretsOf(server_id),
            write: (after) => db.query(resealMcpServer, { id: server_id, before: secrets, after }),
          }
        : {
            secrets,
            row: mcpSessionOf(server_id, user_id),
            write: (after) =>
              db.query(resealMcpSession, { server_id, user_id, before: secrets, after }),
          },
    ),
  );
  if (unreadable === 0) return;
  log.error(
    { secrets: unreadable },
    'secrets of MCP servers cannot be decrypted: they were stored with another CHATD_SECRET_KEY; append that key after a comma, or enter the secrets again',
  );
}
