import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '@chatd/loop';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { lockDirectory } from './machine/local/directory-lock.ts';
import { openLocalMachine } from './machine/local/open-local-machine.ts';
import { Hello } from './machine/link/handshake.ts';
import type { OwnMachine } from './machine/machine.ts';
import { MachineConnector, MachineReplaced } from './machine/program/machine-connector.ts';
import { openTraces } from './observability/traces/open-traces.ts';
import { knownSecrets } from './secrets/secret-values.ts';
import { StartError } from './start-error.ts';
import { VERSION } from './version.ts';

export const MACHINE_HELP = `Host workspaces on this computer.

Usage: chatd machine --url URL --token TOKEN --data-dir DIR [options]

  --url URL          CHATD_URL            Address of the deployment
  --token TOKEN      CHATD_MACHINE_TOKEN  Token of the machine (chatd machines create)
  --data-dir DIR     CHATD_DATA_DIR       Folder for workspaces and the journal
  --name NAME        CHATD_MACHINE_NAME   Name of the machine. Default: the name it was created with
  --label NAME=VALUE CHATD_MACHINE_LABELS Label for the placement of workspaces. Repeatable; separate several with commas

The settings of the sandbox and the disk limits (CHATD_ALLOW_UNSANDBOXED, CHATD_WORKSPACE_DISK_MB, CHATD_DISK_RESERVE_MB,
CHATD_WORKSPACE_PRIVATE_ADDRESSES) and of traces (OTEL_EXPORTER_OTLP_ENDPOINT) are the same as for a server.
`;

export const MACHINE_EXIT = { ok: 0, failed: 1, usage: 2, already_running: 3 } as const;

/** How long running commands may take to end after a signal. */
const DRAIN_MS = 60_000;
const DRAIN_POLL_MS = 200;

interface MachineSettings {
  readonly url: string;
  readonly token: string;
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly config: Config;
}

/** Hosts workspaces until a signal. Returns the exit code. */
export async function runMachine(args: readonly string[]): Promise<number> {
  const stopped = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopped.resolve());
  try {
    const settings = readSettings(args, process.env);
    const { config, url, token } = settings;
    const log = createLog({
      level: config.logLevel,
      secrets: [token],
      readable: process.stderr.isTTY,
      write: (line) => say(line.trimEnd()),
    });
    const boot = randomUUID();
    const traces = await openTraces({
      env: process.env,
      version: VERSION,
      replicaId: boot,
      secrets: knownSecrets,
      log,
    });
    const directory = join(config.dataDir, 'workspaces');
    const unlock = await lockDirectory(directory);
    if (unlock === undefined) {
      say(`chatd: Another program already hosts the workspaces in ${directory}.`);
      return MACHINE_EXIT.already_running;
    }
    const { allowUnsandboxed, privateAddresses, disk } = config.workspaces;
    const { machine, close } = await openLocalMachine({
      directory,
      hidden: [config.dataDir],
      allowUnsandboxed,
      privateAddresses,
      disk,
      log,
    });
    const connector = new MachineConnector({
      url,
      token,
      machine,
      hello: {
        version: VERSION,
        boot,
        ...(settings.name !== undefined && { name: settings.name }),
        labels: settings.labels,
      },
      log,
      traces,
    });
    log.info({ version: VERSION, host: hostname(), url }, 'machine started');
    const running = connector.run();
    try {
      await Promise.race([running, stopped.promise]);
      connector.drain();
      await drained(machine, log);
    } finally {
      connector.close();
      await close();
      await unlock();
      await traces.close();
    }
    log.info('machine stopped');
    return MACHINE_EXIT.ok;
  } catch (error) {
    if (error instanceof StartError) {
      say(`chatd: ${error.message}\n${error.hint}`);
      return MACHINE_EXIT.usage;
    }
    if (error instanceof MachineReplaced) say(`chatd: ${error.message}`);
    else
      say(
        `chatd failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    return MACHINE_EXIT.failed;
  }
}

/** Waits until no command runs. Those that take longer end with the machine. */
async function drained(machine: OwnMachine, log: Logger): Promise<void> {
  const until = systemClock.now() + DRAIN_MS;
  let told = false;
  for (;;) {
    const running = (await machine.calls()).filter((call) => call.running).length;
    if (running === 0 || systemClock.now() > until) return;
    if (!told) log.info({ running }, 'stopping after the running commands');
    told = true;
    await sleep(systemClock, DRAIN_POLL_MS);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function readSettings(args: readonly string[], env: Environment): MachineSettings {
  const given = readFlags(args);
  const url = given.url ?? env['CHATD_URL'] ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw usage(
      url === '' ? 'The address of the deployment is missing.' : `${url} is not a valid address.`,
      'Set CHATD_URL or --url, for example https://chat.example.org.',
    );
  }
  const token = given.token ?? env['CHATD_MACHINE_TOKEN'] ?? '';
  if (token === '') {
    throw usage(
      'The token of the machine is missing.',
      'Create a machine with `chatd machines create NAME`, and set CHATD_MACHINE_TOKEN or --token.',
    );
  }
  const labels = [...(given.label ?? []), ...(env['CHATD_MACHINE_LABELS'] ?? '').split(',')];
  const { config } = readConfig({
    given: given['data-dir'] === undefined ? {} : { data_dir: given['data-dir'] },
    args: [],
    env,
    isRoot: process.geteuid?.() === 0,
  });
  const hello = Hello.pick({ name: true, labels: true }).safeParse({
    name: given.name ?? env['CHATD_MACHINE_NAME'],
    labels: Object.fromEntries(
      labels.filter((label) => label.trim() !== '').map((label) => labelIn(label.trim())),
    ),
  });
  if (!hello.success) {
    const [{ path, message } = { path: [], message: '' }] = hello.error.issues;
    throw usage(`${path.join('.')} ${message}.`, 'See chatd machine --help.');
  }
  return { url, token, name: hello.data.name, labels: hello.data.labels, config };
}

function readFlags(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: text,
        token: text,
        'data-dir': text,
        name: text,
        label: { type: 'string', multiple: true },
      },
      allowPositionals: false,
    }).values;
  } catch (error) {
    const [what] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw usage(`${what}.`, 'See chatd machine --help.');
  }
}

function labelIn(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usage(`${text} is not a label.`, 'Write labels as NAME=VALUE.');
}

const usage = (message: string, hint: string) => new StartError('usage', message, hint);

/** Synchronous, so that nothing is lost when the process ends. */
function say(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // stderr is closed.
  }
}
