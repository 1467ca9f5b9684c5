export { readConfig } from '../config.ts';
export { PostgresError } from '../postgres/index.ts';
export { StartError } from '../start-error.ts';
export { MigrationError } from '../store/migrate/migration-error.ts';
export { BackupError } from './backup-error.ts';
export { makeBackup } from './make-backup.ts';
export { restoreBackup } from './restore-backup.ts';
export { verifyBackup } from './verify-backup.ts';
