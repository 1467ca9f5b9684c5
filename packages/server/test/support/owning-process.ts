import { acquireOwnerLock } from '../../src/postgres/index.ts';

// A process that owns a data directory until it is killed: `node owning-process.ts DATABASE_URL DATA_DIR`.
const [databaseUrl = '', dataDir = ''] = process.argv.slice(2);
const lock = await acquireOwnerLock({ databaseUrl, dataDir });
await lock.announce({
  pid: process.pid,
  url: 'http://127.0.0.1:7717',
  started_at: '2026-11-01T12:00:00Z',
});
process.stdout.write('owner\n');
