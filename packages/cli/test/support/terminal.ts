import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { COMMAND, environment } from './command.ts';

const run = promisify(execFile);

/** A real terminal in tmux. */
export class Terminal {
  readonly #socket = `chatd-test-${randomBytes(6).toString('hex')}`;

  /** Runs `chatd …` in a new terminal until the test ends. */
  static async open(
    args: string,
    options: { env: Readonly<Record<string, string>>; columns?: number; rows?: number },
  ): Promise<Terminal> {
    const terminal = new Terminal();
    onTestFinished(() => terminal.close());
    const { columns = 80, rows = 24 } = options;
    const variables = Object.entries(environment(options.env)).map(
      ([name, value]) => `${name}='${value}'`,
    );
    // The shell prints the exit code after the end of the program.
    const line = `env -i TERM=tmux-256color ${variables.join(' ')} ${COMMAND} ${args}; echo "ended with $?"; sleep 600`;
    await terminal.#tmux(
      '-f',
      '/dev/null',
      '-u',
      'new-session',
      '-d',
      '-x',
      String(columns),
      '-y',
      String(rows),
      line,
    );
    return terminal;
  }

  /** Types text. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
  }

  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** Pastes text, in brackets if the program enabled them. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', '--', text);
    await this.#tmux('paste-buffer', '-p');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** The text on the screen. */
  async screen(): Promise<string> {
    return await this.#tmux('capture-pane', '-p');
  }

  /** The scrollback and the screen. */
  async scrollback(): Promise<string> {
    return await this.#tmux('capture-pane', '-p', '-S', '-');
  }

  /** The screen with its control sequences. */
  async raw(): Promise<string> {
    return await this.#tmux('capture-pane', '-p', '-e', '-S', '-');
  }

  async cursor(): Promise<{ column: number; row: number }> {
    const text = await this.#tmux('display-message', '-p', '#{cursor_x} #{cursor_y}');
    const [column = 0, row = 0] = text.trim().split(' ').map(Number);
    return { column, row };
  }

  async title(): Promise<string> {
    return (await this.#tmux('display-message', '-p', '#{pane_title}')).trim();
  }

  async shows(text: string | RegExp): Promise<string> {
    return await this.#until(() => this.screen(), text);
  }

  async printed(text: string | RegExp): Promise<string> {
    return await this.#until(() => this.scrollback(), text);
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
  }

  async #until(read: () => Promise<string>, text: string | RegExp): Promise<string> {
    return await vi.waitFor(
      async () => {
        const found = await read();
        const there = typeof text === 'string' ? found.includes(text) : text.test(found);
        if (!there)
          throw new Error(`The terminal does not show ${String(text)}, but:
${found}`);
        return found;
      },
      { timeout: 50_000, interval: 50 },
    );
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.#socket, ...args]);
    return stdout;
  }
}
