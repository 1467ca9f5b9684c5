import { type DestinationStream, type Logger, pino } from 'pino';
import { knownSecrets } from './secrets/secret-values.ts';

export interface LogOptions {
  readonly level: string;
  /** Values to hide everywhere, besides the secrets that become known at run time. */
  readonly secrets: readonly string[];
  /** One line of text per record. Default: JSON. */
  readonly readable: boolean;
  readonly write: (line: string) => void;
}

/** Fields that are always hidden. */
const SECRET_FIELDS = ['authorization', 'cookie', 'set-cookie', 'password', 'api_key', 'token'];

export function createLog({ level, secrets, readable, write }: LogOptions): Logger {
  const hide = hider(secrets);
  const destination: DestinationStream = {
    write: (line) => write(knownSecrets.hideParts(hide(readable ? asText(line) : line))),
  };
  return pino(
    {
      level,
      base: readable ? null : { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describe },
      redact: {
        paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: '[hidden]',
      },
    },
    destination,
  );
}

interface Described {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: unknown;
  readonly cause?: Described;
}

/** Logs only known fields of an error: drivers attach whole connections to theirs. */
function describe(error: unknown): Described {
  if (!(error instanceof Error))
    return { type: typeof error, message: String(error), stack: undefined };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    ...(cause !== undefined && { cause: describe(cause) }),
  };
}

/** Also hides the password of a URL on its own, because drivers print it. */
function hider(secrets: readonly string[]): (line: string) => string {
  const values = secrets
    .flatMap((secret) => [secret, ...passwordOf(secret)])
    .filter((secret) => secret.length >= 6)
    .toSorted((a, b) => b.length - a.length);
  return (line) => values.reduce((text, value) => text.replaceAll(value, '[hidden]'), line);
}

function passwordOf(secret: string): string[] {
  const { password } = URL.canParse(secret) ? new URL(secret) : { password: '' };
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

/** `12:34:56 warn  database unavailable path="/chats"` */
function asText(line: string): string {
  const { level, time, msg, err, request_id: _, ...rest } = JSON.parse(line) as LogRecord;
  const name = (pino.levels.labels[level] ?? '').padEnd(5);
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${time.slice(11, 19)} ${name} ${msg}${fields.join('')}${stack}\n`;
}

interface LogRecord {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly err?: { readonly stack?: string };
  readonly request_id?: string;
}
