import type { Logger } from 'pino';
import type { DiskSpace } from './disk-space.ts';

const MB = 1024 * 1024;
const CHECK_MS = 500;
const CHECKS_PER_MEASUREMENT = 20;
/** Growth between two checks that counts as writing. */
const GROWTH_BYTES = 16 * MB;

export interface DiskGuardOptions {
  readonly space: DiskSpace;
  readonly log: Logger;
  /** For workspaces without a limit in their template. 0: no limit. */
  readonly workspaceMb: number;
  /** Free space reserved for the database. 0: none. */
  readonly reserveMb: number;
}

export interface GuardedFolder {
  readonly id: string;
  readonly folder: string;
  readonly limitMb: number | undefined;
  stop(why: string): void;
}

/**
 * Enforces the disk limits of workspaces, and the space reserved for the database. Works on every file system: it
 * measures usage, refuses new writes, and stops running writers.
 */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #watched = new Set<WorkspaceDisk>();
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #busy = false;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#tick(), CHECK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The limit of a workspace, given that of its template. Undefined: no limit. */
  limitOf(templateMb: number | undefined): number | undefined {
    const { workspaceMb } = this.#options;
    return templateMb ?? (workspaceMb === 0 ? undefined : workspaceMb);
  }

  /** Watches a folder until `release`. */
  watch(folder: GuardedFolder): WorkspaceDisk {
    const disk = new WorkspaceDisk(folder, this.#options.space, () => this.shortage());
    this.#watched.add(disk);
    return disk;
  }

  release(disk: WorkspaceDisk): void {
    this.#watched.delete(disk);
  }

  /** Why no workspace may write. Undefined: there is enough space. */
  async shortage(): Promise<string | undefined> {
    const { space, reserveMb } = this.#options;
    if (reserveMb === 0) return undefined;
    const free = await space.free();
    if (free >= reserveMb * MB) return undefined;
    return `the disk has ${inMb(free)} MB left, and ${reserveMb} MB are kept free (CHATD_DISK_RESERVE_MB)`;
  }

  /**
   * Stops workspaces that keep writing while the disk is short, and all workspaces when half of the reserve is used up.
   */
  async checkFree(): Promise<void> {
    const why = await this.shortage();
    if (why === undefined) return;
    const { space, reserveMb } = this.#options;
    for (const disk of this.#watched) {
      const before = disk.used;
      const used = await disk.measure();
      if (before !== undefined && used - before >= GROWTH_BYTES) this.#stop(disk, why);
    }
    if ((await space.free()) >= (reserveMb * MB) / 2) return;
    for (const disk of this.#watched) this.#stop(disk, why);
  }

  async checkLimits(): Promise<void> {
    for (const disk of this.#watched) {
      await disk.measure();
      if (disk.mayWrite && disk.excess !== undefined) this.#stop(disk, disk.excess);
    }
  }

  #stop(disk: WorkspaceDisk, why: string): void {
    this.#watched.delete(disk);
    this.#options.log.warn({ workspace_id: disk.id, why }, 'workspace stopped: out of disk space');
    disk.stop(why);
  }

  async #tick(): Promise<void> {
    if (this.#busy || this.#watched.size === 0) return;
    this.#busy = true;
    try {
      await this.checkFree();
      this.#checks += 1;
      if (this.#checks % CHECKS_PER_MEASUREMENT === 0) await this.checkLimits();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'checking the disk space of workspaces failed');
    } finally {
      this.#busy = false;
    }
  }
}

export class WorkspaceDisk {
  readonly #folder: GuardedFolder;
  readonly #space: DiskSpace;
  readonly #shortage: () => Promise<string | undefined>;
  /** Bytes at the last measurement. */
  used: number | undefined;
  /** Whether a command that can write has been started. */
  mayWrite = false;

  constructor(
    folder: GuardedFolder,
    space: DiskSpace,
    shortage: () => Promise<string | undefined>,
  ) {
    this.#folder = folder;
    this.#space = space;
    this.#shortage = shortage;
  }

  get id(): string {
    return this.#folder.id;
  }

  get excess(): string | undefined {
    const { limitMb } = this.#folder;
    if (limitMb === undefined || this.used === undefined || this.used <= limitMb * MB) {
      return undefined;
    }
    return this.used === Infinity
      ? 'the workspace has too many files to measure in time'
      : `the workspace uses ${inMb(this.used)} MB of disk space, and its limit is ${limitMb} MB`;
  }

  /** Why new writes are refused. Undefined: they are allowed. */
  async refusal(): Promise<string | undefined> {
    if (this.used === undefined || this.excess !== undefined) await this.measure();
    const why = (await this.#shortage()) ?? this.excess;
    this.mayWrite ||= why === undefined;
    return why;
  }

  async measure(): Promise<number> {
    this.used = await this.#space.usedBy(this.#folder.folder);
    return this.used;
  }

  stop(why: string): void {
    this.#folder.stop(why);
  }
}

const inMb = (bytes: number) => Math.floor(bytes / MB);
