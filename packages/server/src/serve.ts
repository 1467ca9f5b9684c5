import cluster from 'node:cluster';
import { writeSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { type Config, readConfig } from './config.ts';
import { AlreadyRunning, PostgresError } from './postgres/index.ts';
import { ProcessGroupMember } from './process-group/member.ts';
import { processCount } from './process-group/process-count.ts';
import { environmentName, DATA_DIR, flagName, SETTINGS, type Setting } from './settings-table.ts';
import { StartError } from './start-error.ts';
import { releaseMemory } from './startup/release-memory.ts';
import { MigrationError } from './store/migrate/migration-error.ts';
import { SystemdNotifier } from './systemd/notifier.ts';

/** How `chatd serve` ends. */
export const SERVE_EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  already_running: 3,
  port: 4,
  database: 5,
  bus: 6,
  files: 7,
} as const;
/** npm and the terminal may both forward the same Ctrl-C. A later signal is a second request. */
const SAME_SIGNAL_MS = 1000;

/** Serves until a signal. Prints one line to stdout, everything else to stderr. Returns the exit code. */
export async function serve(args: readonly string[]): Promise<number> {
  if (cluster.isWorker) return await serveAsMember(args);
  const stop = stopSignal();
  const systemd = new SystemdNotifier({
    env: process.env,
    pid: process.pid,
    onError: (error) => say(`Cannot notify systemd: ${error.message}`),
  });
  try {
    const isRoot = process.geteuid?.() === 0;
    const { config } = readConfig({ args, env: process.env, isRoot });
    const machine = { cores: availableParallelism(), memoryBytes: process.availableMemory() };
    const size = processCount(config, machine);
    const server =
      size === 1 ? await startServer(args, stop) : await startProcesses(config, size, stop);
    if (typeof server === 'number') return server;
    await systemd.ready();
    process.stdout.write(`chatd is ready at ${server.url} — sign in: ${server.signInUrl}\n`);
    if (process.stdout.isTTY)
      say('The link works once and expires after 15 minutes. Each start prints a new one.');
    const reason = await stop.requested;
    void systemd.stopping();
    say('Stopping after the open requests');
    await server.close();
    if (reason instanceof Error) throw reason;
    return SERVE_EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted && !(stop.signal.reason instanceof Error)) return SERVE_EXIT.ok;
    return explain(error);
  } finally {
    await systemd.close();
  }
}

/** Serves as one of several processes, until the supervisor ends it. */
async function serveAsMember(args: readonly string[]): Promise<number> {
  const stop = stopSignal(['SIGTERM']);
  // The terminal sends them to all processes. The supervisor decides.
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined);
  const group = await ProcessGroupMember.join(() => stop.now('SIGTERM'));
  try {
    const server = await startServer(args, stop, group);
    group.ready({ url: server.url, signInUrl: server.signInUrl });
    const reason = await stop.requested;
    await server.close();
    if (reason instanceof Error) throw reason;
    return SERVE_EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted && !(stop.signal.reason instanceof Error)) return SERVE_EXIT.ok;
    return explain(error);
  } finally {
    group.leave();
  }
}

/** The server itself is loaded here: a supervisor does not need it. */
async function startServer(args: readonly string[], stop: Stop, group?: ProcessGroupMember) {
  const { createChatd } = await import('./create-chatd.ts');
  const server = await createChatd({
    args,
    env: process.env,
    readableLog: process.stderr.isTTY,
    writeLog: (line) => say(line.trimEnd()),
    onProgress: (line) => say(line),
    onFatal: (error) => stop.now(error),
    signal: stop.signal,
    watchdog: true,
    ...(group && { group }),
  });
  releaseMemory();
  return server;
}

/** A number: the exit code of the first process, which could not start. */
async function startProcesses(config: Config, size: number, stop: Stop) {
  const { startProcessGroup } = await import('./startup/start-process-group.ts');
  const group = await startProcessGroup(config, size, {
    log: say,
    onFatal: (error) => stop.now(error),
    signal: stop.signal,
  });
  // Without a terminal, SIGHUP means: restart.
  if (typeof group !== 'number' && !process.stdout.isTTY) stop.onHangup = () => group.restart();
  return group;
}

/** One line per setting: flag, variable, meaning. */
export function settingsHelp(): string {
  const flags = [
    [DATA_DIR.name, DATA_DIR] as const,
    ...Object.entries<Setting | typeof DATA_DIR>(SETTINGS),
  ];
  const lines = flags.map(([name, setting]) => {
    const flag = 'secret' in setting ? '' : `--${flagName(name)} VALUE`;
    return `  ${flag.padEnd(30)} ${environmentName(name).padEnd(26)} ${setting.help}`;
  });
  return `Settings, in order of precedence: flag, environment variable, or chatd.json in the data directory
(with the name of the flag, _ instead of -).
${lines.join('\n')}
`;
}

interface Stop {
  readonly signal: AbortSignal;
  /** The name of the signal, or the fatal error. */
  readonly requested: Promise<unknown>;
  now(reason: unknown): void;
  /** What SIGHUP does instead. */
  onHangup: (() => void) | undefined;
}

/** The first signal requests a graceful stop, a later one ends the process. */
function stopSignal(signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']): Stop {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const now = (reason: unknown) => {
    controller.abort(reason);
    resolve(reason);
  };
  const stop: Stop = { signal: controller.signal, requested: promise, now, onHangup: undefined };
  let asked: number | undefined;
  for (const name of signals) {
    process.on(name, () => {
      if (name === 'SIGHUP' && stop.onHangup !== undefined) {
        stop.onHangup();
      } else if (asked === undefined) {
        asked = performance.now();
        now(name);
      } else if (performance.now() - asked > SAME_SIGNAL_MS) {
        say('Stopping now. PostgreSQL may keep running: the next start adopts it.');
        process.exit(128 + constants.signals[name]);
      }
    });
  }
  return stop;
}

/** Prints the error and what to do. Only unexpected errors come with a stack. */
function explain(error: unknown): number {
  if (error instanceof StartError) {
    say(`chatd: ${error.message}\n${error.hint}`);
    return {
      usage: SERVE_EXIT.usage,
      port_taken: SERVE_EXIT.port,
      cannot_listen: SERVE_EXIT.port,
      database_unreachable: SERVE_EXIT.database,
      database_unsupported: SERVE_EXIT.database,
      bus_unreachable: SERVE_EXIT.bus,
      files_unavailable: SERVE_EXIT.files,
    }[error.kind];
  }
  if (error instanceof AlreadyRunning) {
    say(`chatd: ${error.message}\n${error.hint}`);
    return SERVE_EXIT.already_running;
  }
  if (error instanceof MigrationError || error instanceof PostgresError) {
    say(`chatd: ${error.message}\n${error.hint}`);
    return SERVE_EXIT.database;
  }
  say(`chatd failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return SERVE_EXIT.failed;
}

/** Synchronous, so that nothing is lost when the process ends. */
function say(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // stderr is closed.
  }
}
