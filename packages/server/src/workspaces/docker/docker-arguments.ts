import type { ProcessRequest, WorkspaceSpec } from '../driver.ts';
import { TERMINAL_ENVIRONMENT } from '../terminal-environment.ts';

export const ROOT = '/workspace';
const IMAGE = 'debian:stable-slim';

export const containerOf = ({ id }: WorkspaceSpec): string => `chatd-${id}`;

/** A container that does nothing until something is run in it. What is not named here, the container does not have. */
export function createArguments(spec: WorkspaceSpec): string[] {
  const { limits, env, image = IMAGE } = spec;
  return [
    ['create', '--name', containerOf(spec), '--label', 'chatd.workspace', '--init'],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // Root inside gets its few rights back that package managers need; none of them reaches outside.
    ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'].flatMap((one) => ['--cap-add', one]),
    limits.memory_mb === undefined
      ? []
      : ['--memory', `${limits.memory_mb}m`, '--memory-swap', `${limits.memory_mb}m`],
    limits.processes === undefined ? [] : ['--pids-limit', String(limits.processes)],
    Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ['--workdir', ROOT, image, 'sleep', 'infinity'],
  ].flat();
}

/** Its set-up may have a network that the work has not, so the container is put in and out of it. */
export const networkArguments = (spec: WorkspaceSpec, connected: boolean): string[] => [
  'network',
  connected ? 'connect' : 'disconnect',
  'bridge',
  containerOf(spec),
];

/**
 * One command. Docker does not end what it runs when its client goes, so the command notes its process group first,
 * and is ended by that.
 */
export function execArguments(spec: WorkspaceSpec, command: ProcessRequest, run: string): string[] {
  return [
    ['exec', '--interactive', '--workdir', command.cwd ?? ROOT],
    Object.entries(command.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ['--env', `CHATD_RUN=${run}`, containerOf(spec)],
    ['setsid', '--wait', '/bin/sh', '-c', NOTED, 'sh', run, ...command.argv],
  ].flat();
}

/** A program with the terminal of whoever starts it. */
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

const FOLDER = '/tmp/.chatd';
const NOTED = `mkdir -p ${FOLDER}; echo $$ > ${FOLDER}/$1; shift; exec "$@"`;

/** A signal to all processes that bear the mark of a run, or belong to its group. */
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
