import type { Box } from '../driver.ts';

export interface ScriptOutput {
  readonly stdout: Buffer;
  readonly cut: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

/** A shell script in the box, with its output up to a limit; what comes after that ends it. */
export async function runScript(
  box: Box,
  script: string,
  args: readonly string[],
  { limit, env }: { limit: number; env?: Readonly<Record<string, string>> },
): Promise<ScriptOutput> {
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  const full = Promise.withResolvers<undefined>();
  const running = await box.run({
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
  if (exit === undefined) await running.signal('SIGKILL');
  return { stdout: Buffer.concat(chunks), cut: size > limit, code: exit?.code ?? null, stderr };
}
