import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answers, freePort } from '../../server/environment.ts';

export interface RestateServer {
  readonly pid: number;
  readonly adminUrl: string;
  readonly ingressUrl: string;
  stop(): Promise<void>;
}

/** Starts the Restate server, which stores its data in files instead of PostgreSQL. */
export async function startRestateServer(folder: string): Promise<RestateServer> {
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'restate.toml');
  writeFileSync(
    file,
    `node-name = "peer"
base-dir = "${join(folder, 'data')}"
advertised-address = "http://127.0.0.1:${node}"
bind-address = "127.0.0.1:${node}"
disable-telemetry = true

[ingress]
bind-address = "127.0.0.1:${ingress}"

[admin]
bind-address = "127.0.0.1:${admin}"
`,
  );
  // The command of the npm package would add a Node process to the measurement.
  const binary = createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const child = spawn(binary, ['-c', file], {
    cwd: folder,
    env: { ...process.env, RESTATE_LOG_FILTER: 'warn', DO_NOT_TRACK: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.on('exit', () => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const adminUrl = `http://127.0.0.1:${admin}`;
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  await answers(`${adminUrl}/health`);
  await answers(`${ingressUrl}/restate/health`);
  if (child.pid === undefined) throw new Error('the Restate server did not start');
  return {
    pid: child.pid,
    adminUrl,
    ingressUrl,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(timer);
    },
  };
}
