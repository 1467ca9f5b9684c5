export { startEmbeddedPostgres } from './embedded.ts';
export type { EmbeddedPostgres } from './embedded.ts';
export { acquireOwnerLock, AlreadyRunning } from './owner-lock.ts';
export type { OwnerLock } from './owner-lock.ts';
export { PostgresError } from './postgres-error.ts';
