import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const require = createRequire(import.meta.url);

/** Servers that others wrote, as they come from npm. */
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

export const everythingProgram = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
export const filesystemProgram = (folder: string) => ({
  command: process.execPath,
  args: [FILESYSTEM, folder],
});

/** Below those that systems give to whoever asks for any, so that nobody else gets it in the meantime. */
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
  /** At once, as when its machine is gone. */
  kill(): Promise<void>;
}

/** The server of others, over one of its HTTP transports, as a process of its own. */
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

/** Its output is read until the end: it would fail if nobody took it. */
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
