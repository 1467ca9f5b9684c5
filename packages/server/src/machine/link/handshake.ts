import { type Clock, systemClock } from '@chatd/loop';
import { MachineLabels, MachineName } from '@chatd/protocol';
import { z } from 'zod';
import { frame, parseFrame } from '../drivers/host/inside/frames.ts';
import type { Channel } from './channel.ts';

/**
 * Versions of the protocol. The previous one is accepted too, so that machines and servers can be upgraded in any order.
 * Version 2: requests carry a trace context.
 */
export const PROTOCOL = { oldest: 1, newest: 2 } as const;
export const TRACE_VERSION = 2;

/** The server closes a connection for this reason when the same machine has connected again. */
export const REPLACED = 'another connection with the same token replaced this one';

const HELLO_MS = 10_000;
const HELLO_BYTES = 64 * 1024;

/** Shown to admins, also in terminals. */
const printable = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'contains control characters');
export const Hello = z.object({
  protocol: z.object({ oldest: z.int().min(1), newest: z.int().min(1) }),
  version: printable(100),
  /** New with each start of the program. */
  boot: z.string().max(100),
  name: MachineName.optional(),
  labels: z
    .record(MachineLabels.keyType, printable(256))
    .refine((labels) => Object.keys(labels).length <= 20, 'at most 20 labels'),
  capabilities: z.object({ sandbox: z.boolean(), docker: z.boolean(), desktop: z.boolean() }),
});
export type Hello = z.infer<typeof Hello>;

const Welcome = z.object({
  protocol: z.int(),
  machine: z.object({ id: z.string(), name: z.string() }),
});
export type Welcome = z.infer<typeof Welcome>;

const encode = (header: object) => Buffer.concat(frame(header) as Uint8Array[]);

/** The newest version that both sides know. Undefined: none. */
export function commonProtocol(theirs: Hello['protocol']): number | undefined {
  const version = Math.min(theirs.newest, PROTOCOL.newest);
  return version < theirs.oldest || version < PROTOCOL.oldest ? undefined : version;
}

/** The first frame of a machine. Throws why it is invalid. */
export async function receiveHello(channel: Channel, clock: Clock = systemClock): Promise<Hello> {
  const message = await nextMessage(channel, clock);
  if (message.length > HELLO_BYTES) throw new Error('The hello is too long.');
  const hello = Hello.safeParse(parseFrame(message).header['hello']);
  if (hello.success) return hello.data;
  const issues = hello.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`invalid hello: ${issues.join('; ')}`);
}

export function sendWelcome(channel: Channel, welcome: Welcome): void {
  channel.send(encode({ welcome }));
}

/** Introduces a machine. `begin` is called with the welcome, before the next message arrives. */
export async function sendHello<T>(
  channel: Channel,
  hello: Hello,
  begin: (welcome: Welcome) => T,
  clock: Clock = systemClock,
): Promise<T> {
  channel.send(encode({ hello }));
  return await nextMessage(channel, clock, (message) =>
    begin(Welcome.parse(parseFrame(message).header['welcome'])),
  );
}

function nextMessage(channel: Channel, clock: Clock): Promise<Buffer>;
function nextMessage<T>(channel: Channel, clock: Clock, read: (message: Buffer) => T): Promise<T>;
async function nextMessage(
  channel: Channel,
  clock: Clock,
  read: (message: Buffer) => unknown = (message) => message,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const cancel = clock.after(HELLO_MS, () => reject(new Error('The handshake timed out.')));
  channel.onClose((reason) => reject(new Error(`The connection was closed: ${reason}.`)));
  channel.onMessage((message) => {
    try {
      // The listener of the next message is set within `read`.
      channel.onMessage(() => channel.close('a message before the end of the handshake'));
      resolve(read(message));
    } catch (error) {
      reject(error);
    }
  });
  try {
    return await promise;
  } catch (error) {
    // An answer that is too late must not begin anything.
    channel.onMessage(() => undefined);
    throw error;
  } finally {
    cancel();
  }
}
