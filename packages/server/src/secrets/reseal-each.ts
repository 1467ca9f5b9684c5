import { UnreadableSecret, type Vault } from './vault.ts';

/** The encrypted secrets of one row. */
export interface SealedRow {
  /** Names the row: secrets can be decrypted only as those of their own row. */
  readonly row: string;
  readonly secrets: string;
  /** Stores them, unless they were changed meanwhile. */
  readonly write: (after: string) => Promise<unknown>;
}

/**
 * Encrypts secrets with the first key, so that the other keys can be removed. Secrets that cannot be decrypted stay
 * unchanged.
 */
export async function resealEach(
  vault: Vault,
  sealed: readonly SealedRow[],
): Promise<{ readonly changed: number; readonly unreadable: number }> {
  let changed = 0;
  let unreadable = 0;
  for (const { row, secrets, write } of sealed) {
    if (vault.isCurrent(secrets)) continue;
    try {
      await write(vault.seal(vault.open(secrets, row), row));
      changed += 1;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable += 1;
    }
  }
  return { changed, unreadable };
}
