import {
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ProcessRequest, RunningProcess } from '../../machine/drivers/driver.ts';
import { MessageReader } from '../stdio/message-reader.ts';
import { StderrTail } from '../stdio/stderr-tail.ts';

/** A program in the sandbox of a workspace. */
export interface SandboxProgram {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly run: (request: ProcessRequest) => Promise<RunningProcess>;
}

/** Time between the end of its input and SIGKILL. */
const GRACE_MS = 1000;
/** Time for its exit. */
const LIMIT_MS = 5000;
const MESSAGE_LIMIT = 8 * 1024 * 1024;

/** An MCP server that runs in a workspace, on its machine. It ends with the connection to the machine. */
export class SandboxTransport implements Transport {
  readonly #program: SandboxProgram;
  readonly #reader = new MessageReader({
    maxBytes: MESSAGE_LIMIT,
    onMessage: (message) => this.onmessage?.(message),
    onError: (error) => this.onerror?.(error),
    onTooLong: () => this.#running && kill(this.#running),
  });
  readonly #stderrTail = new StderrTail();
  /** The SDK recognizes programs by these. */
  readonly pid = null;
  readonly stderr = null;
  #running: RunningProcess | undefined;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(program: SandboxProgram) {
    this.#program = program;
  }

  get stderrTail(): string {
    return this.#stderrTail.text;
  }

  async start(): Promise<void> {
    const { argv, env, run } = this.#program;
    const running = await run({
      argv,
      env,
      input: true,
      // The buffer of the bytes is reused.
      onOutput: (bytes, stream) => {
        if (stream === 'stderr') this.#stderrTail.add(Buffer.from(bytes));
        else this.#reader.read(Buffer.from(bytes));
      },
    });
    if (this.#isClosed) {
      kill(running);
      throw new Error('the connection was closed');
    }
    this.#running = running;
    void this.#end(running);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#running === undefined) throw new Error('the program has exited');
    void this.#running.write(Buffer.from(serializeMessage(message)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    if (running === undefined) return;
    running.endInput();
    const timer = setTimeout(() => kill(running), GRACE_MS);
    // A machine may never report the exit.
    const given = Promise.withResolvers<void>();
    const limit = setTimeout(given.resolve, LIMIT_MS);
    await Promise.race([running.exit, given.promise]);
    clearTimeout(timer);
    clearTimeout(limit);
    this.#reader.clear();
  }

  async #end({ exit }: RunningProcess): Promise<void> {
    await exit;
    this.#running = undefined;
    this.onclose?.();
  }
}

const kill = (running: RunningProcess) => void running.signal('SIGKILL').catch(() => undefined);
