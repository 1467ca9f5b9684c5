import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { COMMAND, environment } from './command.ts';

const run = promisify(execFile);

/** A real terminal, of tmux: typed into and read back. */
export class Terminal {
  readonly #socket = `chatd-test-${randomBytes(6).toString('hex')}`;

  /** Runs `chatd …` in a terminal of its own, until the test is over. */
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
    // What comes after the end of the program tells how it ended.
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

  /** As fingers do, or a paste. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
  }

  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** As a person pastes: in brackets, when the program asked for them. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', '--', text);
    await this.#tmux('paste-buffer', '-p');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What is on the screen. */
  async screen(): Promise<string> {
    return await this.#tmux('capture-pane', '-p');
  }

  /** All that was ever printed, with what is on the screen. */
  async scrollback(): Promise<string> {
    return await this.#tmux('capture-pane', '-p', '-S', '-');
  }

  /** With colours and all. */
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
