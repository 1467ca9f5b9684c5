import type { Transaction } from '../store/transaction.ts';

/** Now, or when the transaction of the call, if it has one, is durable. */
export function afterCommit(tx: Transaction | undefined, hook: () => void): void {
  if (tx === undefined) hook();
  else tx.afterCommit(hook);
}
