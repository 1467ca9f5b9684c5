export { startEmbeddedPostgres } from './embedded.ts';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded.ts';
export { PostgresError } from './postgres-error.ts';
export type { PostgresErrorKind } from './postgres-error.ts';
export { acquireOwnerLock, AlreadyRunning } from './owner-lock.ts';
export type { OwnerLock } from './owner-lock.ts';
export type { ServerAnnouncement } from './server-announcement.ts';
