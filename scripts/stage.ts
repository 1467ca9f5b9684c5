import { spawn } from 'node:child_process';

export interface StageResult {
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Print the output live instead of only on failure. */
  readonly live?: boolean;
}

/** Runs the commands of one stage and prints its name, result and duration. */
export async function stage(name: string, commands: readonly Command[]): Promise<StageResult> {
  const since = performance.now();
  if (commands.some(({ live }) => live === true)) console.log(`\n${name}`);
  let ok = true;
  for (const command of commands) {
    const { code, output } = await run(command);
    if (code === 0) continue;
    ok = false;
    if (output !== '') console.log(`\n${output.trimEnd()}`);
  }
  const durationMs = performance.now() - since;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${(durationMs / 1000).toFixed(1)} s)`);
  return { ok, durationMs };
}

export async function run(command: Command): Promise<{ code: number; output: string }> {
  const { program, args, env = process.env, live = false } = command;
  const child = spawn(program, args, {
    env,
    stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const passOn = (signal: NodeJS.Signals): void => {
    interrupted = signal;
    // The terminal sends Ctrl-C to the child as well.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  process.on('SIGINT', passOn).on('SIGTERM', passOn).on('SIGHUP', passOn);
  try {
    const code = await new Promise<number>((resolve) => {
      child.once('error', (error) => {
        chunks.push(Buffer.from(`${program}: ${error.message}\n`));
        resolve(127);
      });
      child.once('close', (code) => resolve(code ?? 1));
    });
    return { code, output: Buffer.concat(chunks).toString('utf8') };
  } finally {
    process.off('SIGINT', passOn).off('SIGTERM', passOn).off('SIGHUP', passOn);
    if (interrupted !== undefined) process.kill(process.pid, interrupted);
  }
}

let interrupted: NodeJS.Signals | undefined;
