import {
  PortUnavailable,
  SandboxClosed,
  SandboxFileError,
  type SandboxFileErrorCode,
  TerminalUnavailable,
  WorkspaceOpenError,
} from '../drivers/driver.ts';
import { CheckpointsUnavailable } from '../checkpoints/hosted-checkpoints.ts';
import { DesktopUnavailable } from '../display/desktop-unavailable.ts';
import { CallLost, MachineOffline, TooManyTerminals } from '../machine.ts';

/** An error of the other side that callers do not tell apart. */
class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

const MESSAGE_LIMIT = 8192;
const FILE_CODES: ReadonlySet<string> = new Set<SandboxFileErrorCode>([
  'not_found',
  'outside',
  'not_a_file',
  'not_a_directory',
  'denied',
  'no_space',
  'changed',
  'failed',
]);

/** The errors that callers tell apart, by their names. */
const DECODE: Readonly<Record<string, (message: string, code: string) => Error>> = {
  file: (message, code) =>
    new SandboxFileError(FILE_CODES.has(code) ? (code as SandboxFileErrorCode) : 'failed', message),
  closed: (message) => withMessage(new SandboxClosed(''), message),
  terminal: (message) => new TerminalUnavailable(message),
  port: (message) => new PortUnavailable(message),
  open: (message) => new WorkspaceOpenError(message),
  lost: (message) => new CallLost(message),
  desktop: (message) => new DesktopUnavailable(message),
  terminals: (_, code) => new TooManyTerminals(Number(code) || 0),
  checkpoints: (message) => new CheckpointsUnavailable(message),
  offline: (message) => new MachineOffline(message),
};

function kindOf(error: Error): string {
  if (error instanceof SandboxFileError) return 'file';
  if (error instanceof SandboxClosed) return 'closed';
  if (error instanceof TerminalUnavailable) return 'terminal';
  if (error instanceof PortUnavailable) return 'port';
  if (error instanceof WorkspaceOpenError) return 'open';
  if (error instanceof CallLost) return 'lost';
  if (error instanceof MachineOffline) return 'offline';
  if (error instanceof DesktopUnavailable) return 'desktop';
  if (error instanceof CheckpointsUnavailable) return 'checkpoints';
  if (error instanceof TooManyTerminals) return 'terminals';
  return error.name;
}

export function encodeError(error: unknown): object {
  const known = error instanceof Error ? error : new Error(String(error));
  return {
    kind: kindOf(known),
    message: known.message.slice(0, MESSAGE_LIMIT),
    ...('code' in known && typeof known.code === 'string' && { code: known.code }),
    ...(known instanceof TooManyTerminals && { code: String(known.most) }),
  };
}

export function decodeError(value: unknown): Error {
  const { kind, message, code } = (value ?? {}) as Record<string, unknown>;
  const text = typeof message === 'string' ? message.slice(0, MESSAGE_LIMIT) : 'no reason given';
  const make = typeof kind === 'string' && Object.hasOwn(DECODE, kind) ? DECODE[kind] : undefined;
  return make?.(text, typeof code === 'string' ? code : '') ?? new RemoteError(text);
}

function withMessage<E extends Error>(error: E, message: string): E {
  error.message = message;
  return error;
}
