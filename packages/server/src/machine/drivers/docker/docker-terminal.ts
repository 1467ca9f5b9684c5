import type * as NodePty from '@lydell/node-pty';
import {
  type ProcessExit,
  TerminalUnavailable,
  type RunningTerminal,
  type TerminalRequest,
} from '../driver.ts';

export interface DockerTerminalOptions extends Omit<TerminalRequest, 'argv'> {
  readonly program: string;
  readonly args: readonly string[];
  /** Signals the program in the container. Ending the client does not end it. */
  readonly signal: (signal: NodeJS.Signals) => Promise<void>;
}

/** Runs the Docker client in a local pseudo-terminal; it forwards input and size. */
export async function dockerTerminal(options: DockerTerminalOptions): Promise<RunningTerminal> {
  const { program, args, cols, rows, onOutput, signal } = options;
  const pty = await nodePty();
  const terminal = pty.spawn(program, [...args], { cols, rows, encoding: null });
  // Without an encoding these are bytes, despite the types.
  terminal.onData((data: unknown) => onOutput(data as Buffer));
  const exited = Promise.withResolvers<ProcessExit>();
  terminal.onExit(({ exitCode }) => exited.resolve({ code: exitCode, signal: null }));
  return {
    exit: exited.promise,
    write: (bytes) => terminal.write(Buffer.from(bytes) as unknown as string),
    resize: (size) => terminal.resize(size.cols, size.rows),
    flow: (on) => (on ? terminal.resume() : terminal.pause()),
    async signal(name) {
      await signal(name);
      if (name === 'SIGKILL') terminal.kill(name);
    },
  };
}

async function nodePty(): Promise<typeof NodePty> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    throw new TerminalUnavailable(error instanceof Error ? error.message : String(error));
  }
}
