import { randomBytes } from 'node:crypto';
import type { ProcessRequest, WorkspaceSpec } from '../driver.ts';
import { TERMINAL_ENVIRONMENT } from '../terminal-environment.ts';

export const ROOT = '/workspace';
const IMAGE = 'debian:stable-slim';

export const containerOf = ({ id }: WorkspaceSpec): string => `chatd-${id}`;

/** A container that idles until a command runs in it. It gets only what is listed here. */
export function createArguments(spec: WorkspaceSpec): string[] {
  const { limits, env, image = IMAGE } = spec;
  return [
    ['create', '--name', containerOf(spec), '--label', 'chatd.workspace', '--init'],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // Capabilities that package managers need. None of them reaches outside the container.
    ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'].flatMap((one) => ['--cap-add', one]),
    limits.memory_mb === undefined
      ? []
      : ['--memory', `${limits.memory_mb}m`, '--memory-swap', `${limits.memory_mb}m`],
    limits.processes === undefined ? [] : ['--pids-limit', String(limits.processes)],
    Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ['--workdir', ROOT, image, 'sleep', 'infinity'],
  ].flat();
}

/** Setup may have network access that later commands do not have. */
export const networkArguments = (spec: WorkspaceSpec, connected: boolean): string[] => [
  'network',
  connected ? 'connect' : 'disconnect',
  'bridge',
  containerOf(spec),
];

/**
 * Docker does not end a command when its client disconnects. The command therefore records its process group, by which
 * it is killed.
 */
export function execArguments(spec: WorkspaceSpec, command: ProcessRequest, run: string): string[] {
  return [
    ['exec', '--interactive', '--workdir', command.cwd ?? ROOT],
    Object.entries(command.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ['--env', `CHATD_RUN=${run}`, containerOf(spec)],
    ['setsid', '--wait', '/bin/sh', '-c', NOTED, 'sh', run, ...command.argv],
  ].flat();
}

export function terminalArguments(
  spec: WorkspaceSpec,
  argv: readonly string[],
  run: string,
): string[] {
  return [
    ['exec', '--interactive', '--tty', '--workdir', ROOT],
    Object.entries(TERMINAL_ENVIRONMENT).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ['--env', `CHATD_RUN=${run}`, containerOf(spec), ...argv],
  ].flat();
}

/** The name of a command in its container. It begins with that of the workspace. */
export const runOf = ({ id }: WorkspaceSpec, kind: 'r' | 't'): string =>
  `${id}-${kind}${randomBytes(6).toString('hex')}`;

/**
 * Kills the commands that a machine which was killed has left, and prints the path of the shell. Docker does not end
 * them with their client.
 */
export function beginArguments(spec: WorkspaceSpec): string[] {
  const script = `
for proc in /proc/[0-9]*; do
  if tr '\\0' '\\n' < $proc/environ 2>/dev/null | grep -q "^CHATD_RUN=$1-"; then kill -s KILL \${proc#/proc/}; fi
done 2>/dev/null
rm -f ${FOLDER}/$1-* 2>/dev/null
command -v bash || echo /bin/sh`;
  return ['exec', containerOf(spec), '/bin/sh', '-c', script, 'sh', spec.id];
}

const FOLDER = '/tmp/.chatd';
const NOTED = `mkdir -p ${FOLDER}; echo $$ > ${FOLDER}/$1; shift; exec "$@"`;

/** Signals all processes that carry the mark of a run or belong to its process group. */
export function signalArguments(
  spec: WorkspaceSpec,
  run: string,
  signal: NodeJS.Signals,
): string[] {
  const script = `
group=$(cat ${FOLDER}/$1 2>/dev/null)
for proc in /proc/[0-9]*; do
  if tr '\\0' '\\n' < $proc/environ 2>/dev/null | grep -qx "CHATD_RUN=$1"; then kill -s "$2" \${proc#/proc/}; fi
done 2>/dev/null
[ -n "$group" ] && kill -s "$2" -- "-$group" 2>/dev/null
[ "$2" = KILL ] && rm -f ${FOLDER}/$1
exit 0`;
  const name = signal.replace(/^SIG/, '');
  return ['exec', containerOf(spec), '/bin/sh', '-c', script, 'sh', run, name];
}
