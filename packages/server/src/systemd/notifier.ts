import { execFile } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

export interface NotifierOptions {
  readonly env: Environment;
  readonly pid: number;
  readonly onError: (error: Error) => void;
}

/** systemd recommends a message in every half of the timeout. */
const PINGS_PER_TIMEOUT = 2;

/**
 * Reports the state of the service to systemd (`Type=notify`, `WatchdogSec=`). Does nothing outside a systemd service.
 * Node has no Unix datagram sockets, so messages go through `systemd-notify`; the unit needs `NotifyAccess=all`.
 */
export class SystemdNotifier {
  readonly #options: NotifierOptions;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** The server is ready. From now on, watchdog messages show that the event loop is not blocked. */
  async ready(): Promise<void> {
    await this.#send('READY=1');
    const timeoutMs = watchdogTimeoutMs(this.#options);
    if (timeoutMs === undefined || this.#timer !== undefined) return;
    const ping = () => void this.#send('WATCHDOG=1');
    this.#timer = setInterval(ping, timeoutMs / PINGS_PER_TIMEOUT).unref();
    ping();
  }

  /** The watchdog stays active, so that a server that hangs during shutdown is killed. */
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

/** Undefined: no watchdog, or one for another process. */
function watchdogTimeoutMs({ env, pid }: NotifierOptions): number | undefined {
  const { WATCHDOG_USEC, WATCHDOG_PID } = env;
  if (WATCHDOG_PID !== undefined && Number(WATCHDOG_PID) !== pid) return undefined;
  const microseconds = Number(WATCHDOG_USEC);
  return microseconds > 0 ? microseconds / 1000 : undefined;
}
