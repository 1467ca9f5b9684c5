import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const require = createRequire(import.meta.url);

/** Third-party servers from npm. */
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

export const everythingProgram = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
export const filesystemProgram = (folder: string) => ({
  command: process.execPath,
  args: [FILESYSTEM, folder],
});

/** Below the ephemeral port range, so that the system does not assign it to another process in the meantime. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Kills the process immediately, like the loss of its machine. */
  kill(): Promise<void>;
}

/** Starts the `everything` server with one of its HTTP transports, in its own process. */
export async function startEverything(
  transport: 'http' | 'sse',
  atEnd: (stop: () => Promise<void>) => unknown,
  port?: number,
): Promise<HttpServer> {
  const on = port ?? (await freePort());
  const mode = transport === 'http' ? 'streamableHttp' : 'sse';
  const child = spawn(process.execPath, [EVERYTHING, mode], {
    env: { PATH: process.env['PATH'], PORT: String(on) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => killed(child);
  atEnd(kill);
  await says(child, String(on));
  const path = transport === 'http' ? '/mcp' : '/sse';
  return { url: `http://127.0.0.1:${on}${path}`, port: on, kill };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Resolves when the process has printed the text. Reads all output, because the process fails otherwise. */
async function says(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes(text)) resolve();
  });
  child.once('exit', () => reject(new Error(`the server did not start: ${said}`)));
  await promise;
}
