import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Replica } from '../../../../../faults/deployment/replica.ts';
import type { Revision } from '../../../../../faults/upgrade/revision.ts';

export interface OldServer {
  readonly url: string;
  readonly dataDir: string;
  /** False for the first version with chats. */
  readonly hasWorker: boolean;
  /** Kills it without a shutdown, like a power failure. */
  kill(): Promise<void>;
}

export interface OldServerOptions {
  readonly databaseUrl: string;
  readonly adminToken: string;
  readonly secretKey: string;
}

/** Starts an earlier version as a process, with the tools of the fault suite if the version has them. */
export async function startOldServer(
  version: Revision,
  options: OldServerOptions,
): Promise<OldServer> {
  const dataDir = join(version.directory, '..', 'data');
  await mkdir(dataDir);
  if (!existsSync(version.program)) return await startMain(version, dataDir, options);
  const replica = await Replica.start({
    name: version.name,
    program: version.program,
    logFile: join(dataDir, 'log'),
    effects: join(dataDir, 'effects.jsonl'),
    limits: {},
    settings: {
      listen: '127.0.0.1:0',
      data_dir: dataDir,
      database_url: options.databaseUrl,
      admin_token: options.adminToken,
      secret_key: options.secretKey,
      allow_private_urls: true,
    },
  });
  return { url: replica.url, dataDir, hasWorker: true, kill: () => replica.kill() };
}

async function startMain(
  version: Revision,
  dataDir: string,
  options: OldServerOptions,
): Promise<OldServer> {
  const main = join(version.directory, 'packages/server/src/main.ts');
  const child = spawn(
    process.execPath,
    ['--conditions=chatd-source', main, 'serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0'],
    {
      env: {
        PATH: process.env['PATH'],
        CHATD_DATABASE_URL: options.databaseUrl,
        CHATD_ADMIN_TOKEN: options.adminToken,
        CHATD_SECRET_KEY: options.secretKey,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [, url] = /ready at (\S+)/.exec(line.toString()) ?? [];
  if (url === undefined) throw new Error(`it did not start: ${line.toString()}`);
  return {
    url,
    dataDir,
    hasWorker: false,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
