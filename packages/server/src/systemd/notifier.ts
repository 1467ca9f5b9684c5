import { execFile } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

export interface NotifierOptions {
  readonly env: Environment;
  readonly pid: number;
  /** A message could not be sent. */
  readonly onError: (error: Error) => void;
}

/** systemd recommends a message in every half of the timeout. */
const PINGS_PER_TIMEOUT = 2;

/**
 * Tells systemd how the service is (`Type=notify`, `WatchdogSec=`). Does nothing outside of a systemd service. Node has no
 * datagram sockets of the Unix domain, so messages go through `systemd-notify`; the unit needs `NotifyAccess=all`.
 */
export class SystemdNotifier {
  readonly #options: NotifierOptions;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** The server answers. From now on its event loop has to prove that it is not blocked. */
  async ready(): Promise<void> {
    await this.#send('READY=1');
    const timeoutMs = watchdogTimeoutMs(this.#options);
    if (timeoutMs === undefined || this.#timer !== undefined) return;
    const ping = () => void this.#send('WATCHDOG=1');
    this.#timer = setInterval(ping, timeoutMs / PINGS_PER_TIMEOUT).unref();
    ping();
  }

  /** The watchdog stays on: a server that hangs while it stops is ended, too. */
  stopping(): Promise<void> {
    return this.#send('STOPPING=1');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
  }

  #send(message: string): Promise<void> {
    const { env, onError } = this.#options;
    if (!env['NOTIFY_SOCKET']) return Promise.resolve();
    this.#sending = this.#sending.then(
      () =>
        new Promise((resolve) => {
          execFile('systemd-notify', [message], { env, timeout: SEND_MS }, (error) => {
            if (error !== null) onError(error);
            resolve();
          });
        }),
    );
    return this.#sending;
  }
}

const SEND_MS = 5000;

/** Undefined when systemd watches no process, or another one. */
function watchdogTimeoutMs({ env, pid }: NotifierOptions): number | undefined {
  const { WATCHDOG_USEC, WATCHDOG_PID } = env;
  if (WATCHDOG_PID !== undefined && Number(WATCHDOG_PID) !== pid) return undefined;
  const microseconds = Number(WATCHDOG_USEC);
  return microseconds > 0 ? microseconds / 1000 : undefined;
}
