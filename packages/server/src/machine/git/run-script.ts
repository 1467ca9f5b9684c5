import type { Sandbox } from '../drivers/driver.ts';

export interface ScriptOutput {
  readonly stdout: Buffer;
  readonly cut: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

export interface ScriptLimits {
  /** Maximum output in bytes. A script that exceeds it is killed. */
  readonly limit: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Runs a shell script in the sandbox. Rejects with the abort reason of the signal. */
export async function runScript(
  sandbox: Pick<Sandbox, 'run'>,
  script: string,
  args: readonly string[],
  { limit, env, signal }: ScriptLimits,
): Promise<ScriptOutput> {
  signal?.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  const full = Promise.withResolvers<undefined>();
  const stop = () => full.resolve(undefined);
  // Before the start: the signal may be aborted meanwhile.
  signal?.addEventListener('abort', stop, { once: true });
  const running = await sandbox.run({
    argv: ['/bin/sh', '-c', script, 'sh', ...args],
    ...(env && { env }),
    onOutput(bytes, stream) {
      if (stream === 'stderr') {
        stderr = (stderr + Buffer.from(bytes).toString('utf8')).slice(-2000);
        return;
      }
      if (size < limit) chunks.push(Buffer.from(bytes.subarray(0, limit - size)));
      size += bytes.length;
      if (size > limit) full.resolve(undefined);
    },
  });
  const exit = await Promise.race([running.exit, full.promise]);
  signal?.removeEventListener('abort', stop);
  if (exit === undefined) await running.signal('SIGKILL');
  signal?.throwIfAborted();
  return { stdout: Buffer.concat(chunks), cut: size > limit, code: exit?.code ?? null, stderr };
}
