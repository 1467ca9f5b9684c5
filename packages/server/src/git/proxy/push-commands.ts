import type { Readable } from 'node:stream';

export interface PushCommand {
  readonly ref: string;
  /** The object that the ref has after the push. Only zeros: the ref is deleted. */
  readonly commit: string;
}

/** More refs than a push of an agent has. */
const MAX_BYTES = 64 * 1024;
const COMMAND = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) ([^\0\n ]+)(?:\0|\n|$)/;
/** Options of a push make hosts do more than to move a ref: GitLab opens and merges merge requests. */
const OPTIONS = /\0.*push-options/s;
/** A shallow clone names where its history ends. */
const SHALLOW = /^shallow [0-9a-f]{40,64}\n?$/;
const LENGTH = /^[0-9a-f]{4}$/;

/** The request is not a push as git sends it. */
export class InvalidPush extends Error {
  override readonly name = 'InvalidPush';
}

/**
 * Reads the commands at the start of the body of a push: which refs it changes, and to what. Returns them with the bytes
 * that were read, which the rest of the body follows.
 */
export async function readPushCommands(
  body: Readable,
): Promise<{ readonly commands: readonly PushCommand[]; readonly head: Buffer }> {
  let read = Buffer.alloc(0);
  const commands: PushCommand[] = [];
  let at = 0;
  for (;;) {
    const line = lineAt(read, at);
    if (line !== undefined) {
      at += Math.max(line.length, 4);
      if (line.length === 0) break;
      if (!SHALLOW.test(line.text)) commands.push(parseCommand(line.text));
      continue;
    }
    if (read.length > MAX_BYTES) throw new InvalidPush('The push changes too many refs.');
    const chunk = await nextChunk(body);
    if (chunk === undefined) throw new InvalidPush('The push ended within its commands.');
    read = Buffer.concat([read, chunk]);
  }
  return { commands, head: read };
}

/** Undefined: not complete yet. Length 0: the end of the commands. */
function lineAt(bytes: Buffer, at: number): { length: number; text: string } | undefined {
  if (bytes.length < at + 4) return undefined;
  const digits = bytes.toString('latin1', at, at + 4);
  if (!LENGTH.test(digits)) throw new InvalidPush('The push is not in the format of git.');
  const length = Number.parseInt(digits, 16);
  if (length === 0) return { length, text: '' };
  if (length <= 4) throw new InvalidPush('The push is not in the format of git.');
  if (bytes.length < at + length) return undefined;
  return { length, text: bytes.toString('utf8', at + 4, at + length) };
}

function parseCommand(text: string): PushCommand {
  if (OPTIONS.test(text)) throw new InvalidPush('Push options are not supported.');
  const [, commit, ref] = COMMAND.exec(text) ?? [];
  if (commit === undefined || ref === undefined)
    throw new InvalidPush('The push has a command that is not allowed.');
  return { ref, commit };
}

/** Undefined: the end. The stream stays open. */
async function nextChunk(body: Readable): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const look = () => {
    const chunk = body.read() as Buffer | null;
    if (chunk !== null) resolve(chunk);
    else if (body.readableEnded || body.destroyed) resolve(undefined);
  };
  const end = () => resolve(undefined);
  body.on('readable', look).once('end', end).once('close', end).once('error', reject);
  look();
  try {
    return await promise;
  } finally {
    body.off('readable', look).off('end', end).off('close', end).off('error', reject);
  }
}
