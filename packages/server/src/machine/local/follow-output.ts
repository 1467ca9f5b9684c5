import type { ProcessExit } from '../drivers/driver.ts';
import type { CommandRequest } from '../machine.ts';
import { whenAborted } from '../when-aborted.ts';
import type { OutputFile } from './output-file.ts';

const CHUNK_BYTES = 64 * 1024;

interface Followed {
  readonly output: OutputFile;
  readonly ended: { readonly promise: Promise<ProcessExit> };
  readonly exit: ProcessExit | undefined;
}

/**
 * Passes on the output from a position on. A reader that keeps up gets it as it arrives, others get it from the file.
 * Resolves when the command has ended and the reader has everything, or when the reader has left.
 */
export async function follow(
  command: Followed,
  from: number,
  onOutput: CommandRequest['onOutput'],
  left: AbortSignal,
): Promise<void> {
  const { output } = command;
  const gone = whenAborted(left);
  let at = from;
  while (!left.aborted) {
    if (at < output.total) {
      const chunk = await output.read(at, CHUNK_BYTES);
      if (left.aborted) break;
      at = chunk.at + chunk.bytes.length;
      // After an error of the disk, nothing more can be read.
      if (chunk.bytes.length === 0) at = output.total;
      else await onOutput(chunk.bytes, chunk.at);
    } else if (command.exit !== undefined) {
      break;
    } else {
      const live = followLive(output, onOutput);
      await Promise.race([live.slow, command.ended.promise, gone.promise]);
      at = live.stop();
      await live.pending();
    }
  }
  gone.release();
}

function followLive(output: OutputFile, onOutput: CommandRequest['onOutput']) {
  let at = output.total;
  let pending: Promise<void> | undefined;
  const slow = Promise.withResolvers<void>();
  const stop = output.onAppend((bytes, position) => {
    if (pending !== undefined) return;
    at = position + bytes.length;
    const taken = onOutput(bytes, position);
    if (!(taken instanceof Promise)) return;
    pending = taken;
    slow.resolve();
  });
  return {
    slow: slow.promise,
    pending: async () => await pending,
    /** Returns the position up to which the reader has the output. */
    stop: () => {
      stop();
      return at;
    },
  };
}
