import { randomBytes } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { JournaledCall } from '../machine.ts';

const LOG = 'log';
/** Settled calls are remembered for this long. */
const SETTLED_MS = 2 * 60 * 60_000;
const COMPACT_BYTES = 4 * 1024 * 1024;

const EXIT = z.object({ code: z.number().nullable(), signal: z.string().nullable() });
const ABOUT = z.object({ workspace: z.string(), call: z.string() });
const STARTED = ABOUT.extend({
  type: z.literal('started'),
  /** Name of the file with the output. */
  file: z.string(),
  id: z.string(),
  command: z.string(),
  cwd: z.string(),
  startedAt: z.number(),
  background: z.boolean(),
});
const ENDED = z.object({
  exit: EXIT,
  endedAt: z.number(),
  outputBytes: z.number(),
  /** The output in base64. Undefined: it is in the file. */
  inline: z.string().optional(),
});
const WRITING = ABOUT.extend({
  type: z.literal('writing'),
  /** Name of the file with the contents of all files. */
  file: z.string(),
  files: z.array(z.object({ path: z.string(), size: z.number() })),
  result: z.string(),
});
const RECORD = z.discriminatedUnion('type', [
  z.object({ type: z.literal('boot'), id: z.string() }),
  STARTED,
  ENDED.extend(ABOUT.shape).extend({ type: z.literal('ended') }),
  WRITING,
  ABOUT.extend({ type: z.literal('written') }),
  ABOUT.extend({ type: z.literal('dropped') }),
  z.object({ type: z.literal('settled'), call: z.string(), at: z.number() }),
]);
type JournalRecord = z.output<typeof RECORD>;

export type StartedCommand = Omit<z.output<typeof STARTED>, 'type'>;
export type EndedCommand = z.output<typeof ENDED>;
export type StagedWrite = Omit<z.output<typeof WRITING>, 'type'>;

export type JournalEntry =
  | {
      readonly kind: 'command';
      readonly started: StartedCommand;
      ended: EndedCommand | undefined;
      /** Started by an earlier process of the machine, which did not see the end. */
      lost: boolean;
    }
  | { readonly kind: 'write'; readonly staged: StagedWrite; written: boolean };

interface PendingRecord {
  readonly text: string;
  readonly durable: boolean;
  readonly done: (error?: Error) => void;
}

/**
 * The calls with effects that a machine has accepted, on its disk. A record is durable before its effect begins. It is
 * deleted when the result of the call is stored elsewhere.
 */
export class Journal {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #entries = new Map<string, JournalEntry>();
  readonly #settled = new Map<string, number>();
  #log: FileHandle | undefined;
  #bytes = 0;
  #pending: PendingRecord[] = [];
  #writing: Promise<void> | undefined;

  static async open(directory: string, now: () => number): Promise<Journal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const journal = new Journal(directory, now);
    await journal.#load();
    await journal.#rewrite();
    await journal.#sweep();
    return journal;
  }

  private constructor(directory: string, now: () => number) {
    this.#directory = directory;
    this.#now = now;
  }

  find(workspace: string, call: string): JournalEntry | undefined {
    return this.#entries.get(keyOf({ workspace, call }));
  }

  isSettled(call: string): boolean {
    return this.#settled.has(call);
  }

  calls(): JournaledCall[] {
    const running = new Map<string, boolean>();
    for (const entry of this.#entries.values()) {
      const { call } = aboutOf(entry);
      const runs = entry.kind === 'command' && entry.ended === undefined && !entry.lost;
      running.set(call, runs || running.get(call) === true);
    }
    return [...running].map(([call, runs]) => ({ call, running: runs }));
  }

  /** Files to write again, because the machine ended before all were written. */
  unfinishedWrites(workspace: string): StagedWrite[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.kind === 'write' && !entry.written && entry.staged.workspace === workspace
        ? [entry.staged]
        : [],
    );
  }

  /** A new file of the journal. */
  newFile(): string {
    return randomBytes(12).toString('hex');
  }

  path(file: string): string {
    return join(this.#directory, file);
  }

  /** Resolves when the record is durable. */
  async start(started: StartedCommand): Promise<void> {
    const entry: JournalEntry = { kind: 'command', started, ended: undefined, lost: false };
    await this.#accept(entry, { type: 'started', ...started });
  }

  async end(started: StartedCommand, ended: EndedCommand): Promise<void> {
    const { workspace, call } = started;
    const entry = this.find(workspace, call);
    if (entry?.kind !== 'command') return;
    entry.ended = ended;
    await this.#append({ type: 'ended', workspace, call, ...ended }, false);
  }

  /** It is unknown whether the command had an effect. */
  lose({ workspace, call }: StartedCommand): void {
    const entry = this.find(workspace, call);
    if (entry?.kind === 'command') entry.lost = true;
  }

  /** Keeps the contents of files that are about to be written. Resolves when the record is durable. */
  async stage(staged: StagedWrite, contents: readonly Uint8Array[]): Promise<void> {
    const file = await open(this.path(staged.file), 'wx', 0o600);
    try {
      for (const bytes of contents) await file.writeFile(bytes);
      await file.datasync();
    } catch (error) {
      await rm(this.path(staged.file), { force: true });
      throw isFull(error) ? new Error(FULL, { cause: error }) : error;
    } finally {
      await file.close();
    }
    await this.#syncDirectory();
    const entry: JournalEntry = { kind: 'write', staged, written: false };
    await this.#accept(entry, { type: 'writing', ...staged });
  }

  async staged({ file, files }: StagedWrite): Promise<{ path: string; bytes: Buffer }[]> {
    const all = await readFile(this.path(file));
    let at = 0;
    return files.map(({ path, size }) => ({ path, bytes: all.subarray(at, (at += size)) }));
  }

  async written({ workspace, call, file }: StagedWrite): Promise<void> {
    const entry = this.find(workspace, call);
    if (entry?.kind === 'write') entry.written = true;
    await this.#append({ type: 'written', workspace, call }, false);
    await rm(this.path(file), { force: true });
  }

  /** The call had no effect. */
  async drop(about: { workspace: string; call: string }): Promise<void> {
    const entry = this.find(about.workspace, about.call);
    if (entry === undefined) return;
    this.#entries.delete(keyOf(about));
    await this.#append({ type: 'dropped', workspace: about.workspace, call: about.call }, true);
    await rm(this.path(aboutOf(entry).file), { force: true });
  }

  /** Deletes the entries of these calls, and their files unless they are in `used`. */
  async settle(calls: readonly string[], used: ReadonlySet<string>): Promise<void> {
    const wanted = new Set(calls);
    const now = this.#now();
    for (const [call, at] of this.#settled) if (now - at > SETTLED_MS) this.#settled.delete(call);
    // First: a call that is being accepted must not start.
    for (const call of wanted) this.#settled.set(call, now);
    for (const [key, entry] of this.#entries) {
      const { call, file } = aboutOf(entry);
      if (!wanted.has(call)) continue;
      this.#entries.delete(key);
      if (!used.has(file)) await rm(this.path(file), { force: true });
    }
    await Promise.all(calls.map((call) => this.#append({ type: 'settled', call, at: now }, false)));
    if (this.#bytes > COMPACT_BYTES) await this.#compact();
  }

  /** Deletes all entries of a workspace. */
  async forget(workspace: string): Promise<void> {
    for (const entry of this.#entries.values()) {
      const about = aboutOf(entry);
      if (about.workspace === workspace) await this.drop(about);
    }
  }

  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#log?.close();
    this.#log = undefined;
  }

  async #accept(entry: JournalEntry, record: JournalRecord): Promise<void> {
    const key = keyOf(aboutOf(entry));
    this.#entries.set(key, entry);
    try {
      await this.#append(record, true);
    } catch (error) {
      this.#entries.delete(key);
      throw isFull(error) ? new Error(FULL, { cause: error }) : error;
    }
  }

  /** Records that arrive while others are being written are written together. */
  #append(record: JournalRecord, durable: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({
      text: `${JSON.stringify(record)}\n`,
      durable,
      done: (error) => (error === undefined ? resolve() : reject(error)),
    });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return promise;
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        if (this.#log === undefined) throw new Error('The journal of the machine is closed.');
        const bytes = Buffer.from(batch.map(({ text }) => text).join(''));
        await this.#writeWhole(this.#log, bytes);
        if (batch.some(({ durable }) => durable)) await this.#log.datasync();
        requireOwn(this.#log);
        for (const { done } of batch) done();
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error));
        for (const { done } of batch) done(why);
      }
    }
  }

  /** A part of a record must not stay behind, since the next record would follow it. */
  async #writeWhole(log: FileHandle, bytes: Buffer): Promise<void> {
    try {
      let at = 0;
      while (at < bytes.length) {
        const { bytesWritten } = await log.write(bytes, at, bytes.length - at, this.#bytes + at);
        at += bytesWritten;
      }
      this.#bytes += bytes.length;
    } catch (error) {
      await log.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
  }

  async #load(): Promise<void> {
    const text = await readFile(this.path(LOG), 'utf8').catch((error: NodeJS.ErrnoException) => {
      // After any other error, starting empty would run recorded calls again.
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    let boot: string | undefined;
    for (const line of text.split('\n')) {
      const record = parse(line);
      // The machine ended while it wrote this record: its effect had not begun.
      if (record === undefined) break;
      if (record.type === 'boot') boot = record.id;
      else this.#apply(record);
    }
    const rebooted = boot !== BOOT;
    for (const entry of this.#entries.values()) {
      if (entry.kind === 'write') continue;
      // Only the records were made durable, not the output.
      if (rebooted && entry.ended?.inline === undefined) entry.ended = undefined;
      entry.lost = entry.ended === undefined;
    }
  }

  #apply(record: Exclude<JournalRecord, { type: 'boot' }>): void {
    switch (record.type) {
      case 'started': {
        const { type: _, ...started } = record;
        const entry = { kind: 'command', started, ended: undefined, lost: false } as const;
        this.#entries.set(keyOf(record), { ...entry });
        return;
      }
      case 'ended': {
        const entry = this.#entries.get(keyOf(record));
        if (entry?.kind === 'command') entry.ended = ENDED.parse(record);
        return;
      }
      case 'writing': {
        const { type: _, ...staged } = record;
        this.#entries.set(keyOf(record), { kind: 'write', staged, written: false });
        return;
      }
      case 'written': {
        const entry = this.#entries.get(keyOf(record));
        if (entry?.kind === 'write') entry.written = true;
        return;
      }
      case 'dropped':
        this.#entries.delete(keyOf(record));
        return;
      case 'settled': {
        for (const [key, entry] of this.#entries)
          if (aboutOf(entry).call === record.call) this.#entries.delete(key);
        if (this.#now() - record.at < SETTLED_MS) this.#settled.set(record.call, record.at);
      }
    }
  }

  /** Waits until nothing else is written. */
  async #compact(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#writing = this.#rewrite().finally(() => {
      this.#writing = undefined;
    });
    try {
      await this.#writing;
    } finally {
      if (this.#pending.length > 0) {
        this.#writing ??= this.#write().finally(() => {
          this.#writing = undefined;
        });
      }
    }
  }

  /** Replaces the log by one with the current entries only. */
  async #rewrite(): Promise<void> {
    const text = this.#records()
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
    const draft = this.path(`${LOG}.new`);
    const log = await open(draft, 'w', 0o600);
    try {
      await log.writeFile(text);
      await log.datasync();
      if (this.#log !== undefined) requireOwn(this.#log);
      await rename(draft, this.path(LOG));
    } catch (error) {
      await log.close();
      throw error;
    }
    // Whatever fails from here on, records must not go to the replaced file.
    const replaced = this.#log;
    this.#log = log;
    this.#bytes = Buffer.byteLength(text);
    await replaced?.close();
    await this.#syncDirectory();
  }

  #records(): JournalRecord[] {
    const entries = [...this.#entries.values()].flatMap((entry): JournalRecord[] => {
      const { workspace, call } = aboutOf(entry);
      if (entry.kind === 'write') {
        const staged: JournalRecord = { type: 'writing', ...entry.staged };
        return entry.written ? [staged, { type: 'written', workspace, call }] : [staged];
      }
      const started: JournalRecord = { type: 'started', ...entry.started };
      return entry.ended === undefined
        ? [started]
        : [started, { type: 'ended', workspace, call, ...entry.ended }];
    });
    const settled = [...this.#settled].map(([call, at]) => ({
      type: 'settled' as const,
      call,
      at,
    }));
    return [{ type: 'boot', id: BOOT }, ...entries, ...settled];
  }

  /** Deletes the files of calls that are no longer known. */
  async #sweep(): Promise<void> {
    const known = new Set([...this.#entries.values()].map((entry) => aboutOf(entry).file));
    for (const name of await readdir(this.#directory)) {
      if (name !== LOG && !known.has(name)) await rm(this.path(name), { force: true });
    }
  }

  async #syncDirectory(): Promise<void> {
    const directory = await open(this.#directory, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}

const FULL =
  'The disk of the machine is full, so the call was not run. Delete files, or ask an admin to free space on the machine.';
const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/**
 * Throws if another program has opened the journal, which replaces the log. The lock of the directory does not exclude
 * programs in other containers or on other computers.
 */
function requireOwn({ fd }: FileHandle): void {
  if (fstatSync(fd).nlink > 0) return;
  throw new Error(
    'Another program uses the data directory of this machine. Give each machine its own.',
  );
}

const keyOf = ({ workspace, call }: { workspace: string; call: string }) => `${workspace} ${call}`;

const aboutOf = (entry: JournalEntry) => (entry.kind === 'write' ? entry.staged : entry.started);

function parse(line: string): JournalRecord | undefined {
  try {
    return RECORD.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Changes when the computer restarts, which can lose data that was written but not synced. */
const BOOT = bootId();

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return randomBytes(16).toString('hex');
  }
}
