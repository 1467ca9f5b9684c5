/*
 * Runs inside the sandbox while the workspace is open. Starts commands and reads and writes files on request of the
 * server, over stdin. Imports only its own folder and a copy of the pseudo-terminal package.
 */
import { accessSync, constants } from 'node:fs';
import { Connections } from './connections.ts';
import { Files, FileError } from './files.ts';
import { Gateway } from './gateway.ts';
import { type MessageFrame, frame, FrameReader } from './frames.ts';
import { forwardToProxy } from './proxy-forwarder.ts';
import { Runs } from './runs.ts';
import { Terminals } from './terminals.ts';

const [root = '/workspace', alone = '', dataLimit = '', proxySocket = '', proxyPort = ''] =
  process.argv.slice(2);
const files = new Files(root);
const runs = new Runs(
  {
    output: (run, stream, bytes) => send({ event: 'output', run, stream }, bytes),
    exit: (run, code, signal) => send({ event: 'exit', run, code, signal }),
  },
  {
    // Checked here too: only in its own namespace is the parent process number 1.
    alone: alone === 'alone' && process.ppid === 1,
    env: process.env,
    dataLimit,
  },
);
const terminals = new Terminals(
  {
    output: (run, bytes) => send({ event: 'output', run, stream: 'stdout' }, bytes),
    exit: (run, code, signal) => send({ event: 'exit', run, code, signal }),
  },
  runs,
  process.env,
);
const connections = new Connections({
  data: (connection, bytes) => send({ event: 'data', connection }, bytes),
  drained: (connection) => send({ event: 'drained', connection }),
  closed: (connection) => send({ event: 'closed', connection }),
});

let incoming = 0;
const gateway = new Gateway((socket) => {
  const connection = `i${++incoming}`;
  connections.adopt(connection, socket);
  send({ event: 'incoming', connection });
});

const reader = new FrameReader();
process.stdin.on('data', (chunk: Buffer) => {
  for (const request of reader.push(chunk)) void answer(request);
});
process.stdin.once('close', end);
process.stdin.once('error', end);
process.stdout.on('drain', () => {
  runs.resume();
  connections.resume();
  terminals.resume();
});
process.stdout.once('error', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
if (proxySocket !== '') await forwardToProxy(proxySocket, Number(proxyPort));
send({ event: 'hello', shell: shell() });

function send(header: object, bytes?: Uint8Array): boolean {
  const [head, body] = frame(header, bytes);
  if (body === undefined) return process.stdout.write(head);
  process.stdout.cork();
  process.stdout.write(head);
  const more = process.stdout.write(body);
  process.stdout.uncork();
  return more;
}

async function answer({ header, bytes }: MessageFrame): Promise<void> {
  const { id } = header;
  try {
    const [result, data] = await perform(header as never, bytes);
    send({ id, ok: true, ...result }, data);
  } catch (error) {
    const code = error instanceof FileError ? error.code : 'failed';
    const message = error instanceof Error ? error.message : String(error);
    send({ id, ok: false, code, message });
  }
}

interface Request {
  readonly op: string;
  readonly run: string;
  readonly connection: string;
  readonly cols: number;
  readonly rows: number;
  readonly on: boolean;
  readonly argv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly background: boolean;
  readonly input: boolean;
  readonly signal: NodeJS.Signals;
  readonly path: string;
  readonly port: number;
  readonly expected?: string | null;
  readonly from: number;
  readonly length: number;
  readonly depth: number;
  readonly limit: number;
  readonly skip: string[];
}

/** Requests come from the server and are not validated. */
async function perform(
  request: Request,
  bytes: Buffer,
): Promise<[result: object, data?: Uint8Array]> {
  switch (request.op) {
    case 'run':
      await runs.start({ ...request, stdin: Buffer.from(bytes) });
      return [{}];
    case 'signal':
      runs.signal(request.run, request.signal);
      return [{}];
    case 'input':
      runs.write(request.run, Buffer.from(bytes));
      return [{}];
    case 'end_input':
      runs.endInput(request.run);
      return [{}];
    case 'keep':
      runs.keep(request.run);
      return [{}];
    case 'terminal':
      terminals.start(request);
      return [{}];
    case 'type':
      terminals.write(request.run, Buffer.from(bytes));
      return [{}];
    case 'resize':
      terminals.resize(request.run, request.cols, request.rows);
      return [{}];
    case 'flow':
      terminals.flow(request.run, request.on);
      return [{}];
    case 'connect':
      await connections.open(request.connection, { path: request.path });
      return [{}];
    case 'connect_port':
      await connections.openPort(request.connection, request.port);
      return [{}];
    case 'listen':
      await gateway.listen(request.port);
      return [{}];
    case 'connection_flow':
      connections.flow(request.connection, request.on);
      return [{}];
    case 'send':
      return [{ taken: connections.send(request.connection, Buffer.from(bytes)) }];
    case 'hangup':
      connections.close(request.connection);
      return [{}];
    case 'read': {
      const chunk = files.read(request.path, request.from, request.length);
      return [{ size: chunk.size }, chunk.bytes];
    }
    case 'write':
      return [{ created: files.write(request.path, bytes, request.expected) }];
    case 'stat':
      return [{ entry: files.stat(request.path) ?? null }];
    case 'list':
      return [files.list(request.path, request.depth, request.limit, request.skip)];
    default:
      throw new FileError('failed', `unknown operation: ${request.op}`);
  }
}

function shell(): string {
  for (const path of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Try the next one.
    }
  }
  return '/bin/sh';
}

function end(): void {
  runs.end();
  process.exit(0);
}
