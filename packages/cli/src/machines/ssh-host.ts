import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';

export interface SshHostOptions {
  /** `USER@HOST` or a name from the SSH configuration. */
  readonly destination: string;
  readonly port?: string | undefined;
  readonly identity?: string | undefined;
  /** `ssh-ed25519 AAAA…`. Undefined: the key must be in known_hosts. */
  readonly hostKey?: string | undefined;
}

const CONNECT_SECONDS = 15;

/** A host that is reached with the `ssh` program. Hosts with unknown keys are always refused. */
export class SshHost {
  readonly #arguments: readonly string[];
  readonly #options: SshHostOptions;
  readonly #directory: string;

  static async open(options: SshHostOptions): Promise<SshHost> {
    const directory = await mkdtemp(join(tmpdir(), 'chatd-ssh-'));
    const known = join(directory, 'known_hosts');
    if (options.hostKey !== undefined) await writeFile(known, `* ${options.hostKey}\n`);
    return new SshHost(options, directory, known);
  }

  private constructor(options: SshHostOptions, directory: string, known: string) {
    this.#options = options;
    this.#directory = directory;
    const settings = [
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      `ConnectTimeout=${CONNECT_SECONDS}`,
      ...(options.hostKey === undefined
        ? []
        : [`UserKnownHostsFile=${known}`, 'GlobalKnownHostsFile=/dev/null']),
    ];
    this.#arguments = [
      ...settings.flatMap((setting) => ['-o', setting]),
      ...(options.port === undefined ? [] : ['-p', options.port]),
      ...(options.identity === undefined ? [] : ['-i', options.identity]),
    ];
  }

  /** Runs a shell script on the host and returns its output. Fails with its last error message. */
  async run(script: string, input: string | Readable = ''): Promise<string> {
    // `--` keeps a destination from being read as an option.
    const args = [...this.#arguments, '--', this.#options.destination, script];
    const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
      this.#feed(child, input),
    ]);
    if (code === 0) return output;
    const why = errors.trim().split('\n').slice(-8).join('\n') || `exit code ${code}`;
    throw new CommandFailed(EXIT.failed, `${this.#options.destination}: ${why}`, HINTS.get(code));
  }

  /** Copies a folder into an empty folder of the host. */
  async copy(folder: string, into: string): Promise<void> {
    const tar = spawn('tar', ['-C', folder, '-cf', '-', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await this.run(`rm -rf ${into} && mkdir -p ${into} && tar -C ${into} -xf -`, tar.stdout);
  }

  async close(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #feed({ stdin }: ChildProcess, input: string | Readable): Promise<void> {
    if (stdin === null) return;
    // The other end may close its input before it has read all of it.
    stdin.on('error', () => undefined);
    if (typeof input === 'string') stdin.end(input);
    else await pipeline(input, stdin).catch(() => undefined);
  }
}

const HINTS: ReadonlyMap<number | null, string> = new Map([
  [
    255,
    'Check that `ssh` reaches the host without a password. Pass its key with --host-key, or add it to known_hosts.',
  ],
]);
