import type { ActionKind, BusyBehavior, ChatStatus } from '@chatd/protocol';

/*
 * A second implementation of a chat, as simple as possible, written from the design and not from the code. Messages
 * and queued messages are identified by their text, which tests keep unique.
 */

export interface Fence {
  readonly runner: string;
  readonly version: number;
}

/** What a step does in the same write, if nothing else has to happen first. */
export type Next = 'nothing' | 'begin_attempt' | 'finish_turn';

export type Command =
  | { do: 'send'; text: string; behavior: BusyBehavior }
  | { do: 'edit'; target: string; text: string }
  | { do: 'regenerate'; target: string }
  | { do: 'select'; version: number }
  | { do: 'delete_queued'; target: string }
  | { do: 'move_queued'; target: string; position: number }
  | { do: 'promote'; target: string }
  | { do: 'interrupt' | 'compact' | 'archive' | 'unarchive' | 'delete' | 'restore' | 'expire' }
  | { do: 'rename'; title: string }
  | { do: 'submit'; ids: readonly string[] }
  | { do: 'decide'; ids: readonly string[] }
  | { do: 'reply'; id: string }
  | { do: 'take_up' | 'sweep'; runner: string }
  | { do: 'release'; runner: string }
  | { do: 'wait_for_capacity' }
  | { do: 'begin'; fence: Fence; attempt: number }
  | { do: 'retry'; fence: Fence }
  | { do: 'say'; fence: Fence; attempt: number; text: string; next: Next }
  | { do: 'call' | 'answer'; fence: Fence; attempt: number; ids: readonly string[]; next: Next }
  | { do: 'summarize'; fence: Fence; attempt: number; text: string; fails: boolean; next: Next }
  | { do: 'require'; fence: Fence; pick: number }
  | { do: 'finish'; fence: Fence }
  | { do: 'finish_interruption'; fence: Fence; attempt: number; text: string | null }
  | { do: 'fail'; fence: Fence };

const KINDS = ['dynamic', 'approval', 'dynamic', 'question'] as const;
/** The kind of action that a call requires. `pick` comes from the test. */
export const kindOf = (id: string, pick: number): ActionKind =>
  KINDS[(pick + Number(id.at(-1))) % KINDS.length] ?? 'dynamic';

interface Waiting {
  readonly text: string;
  readonly behavior: BusyBehavior;
}

/** One of several continuations of a chat after some lines of its history. */
interface SeenVersion {
  /** In order of creation, from 1. */
  readonly number: number;
  /** The number of lines before it. */
  readonly after: number;
  readonly current: boolean;
}

interface Version {
  readonly number: number;
  readonly before: readonly string[];
  /** Null: the version is current, and its lines are in the history. */
  lines: string[] | null;
  open: string[];
  interrupted: boolean;
}

/** The externally visible state of a chat. */
export interface Seen {
  status: ChatStatus;
  archived: boolean;
  deleted: boolean;
  title: string;
  queue: Waiting[];
  history: string[];
  versions: SeenVersion[];
  open: string[];
  /** Open calls that require an action, and the ones that the user has decided on. */
  asked: Record<string, ActionKind>;
  decided: string[];
  runner: string | null;
  queuedForCapacity: boolean;
  compactionRequested: boolean;
  retrying: boolean;
  failed: boolean;
  interrupted: boolean;
  attempt: number;
  snapshot: number;
  historyVersion: number;
  queueVersion: number;
  replyVersion: number;
  retryVersion: number;
  resetVersion: number;
}

const LIMIT = 20;
type Name = Command['do'];
const OWNERSHIP = new Set<Name>(['take_up', 'sweep', 'release']);
const WHILE_ARCHIVED = new Set<Name>(['unarchive', 'rename', 'archive', 'delete', 'restore']);
/** Idempotent commands: repeating one changes nothing. */
const REPEATABLE = new Set<Name>([
  'interrupt',
  'archive',
  'unarchive',
  'rename',
  'wait_for_capacity',
  'select',
]);
const BRANCHES = new Set<Name>(['edit', 'regenerate', 'select']);
const TOUCHES_QUEUE = new Set<Name>(['move_queued', 'promote']);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const isReply = (line: string) => line.startsWith('assistant: ');
/** Placeholder for the first attempt at the history that the command is about to write. */
const BEGUN_WITH_STEP = -1;
const isUrgent = (entry: Waiting) => entry.behavior !== 'queue';

const COMMITS = new Set<Name>(['say', 'call', 'answer', 'summarize', 'finish_interruption']);
const episodeOf = (command: Command) =>
  'fence' in command && 'attempt' in command && COMMITS.has(command.do)
    ? `${command.fence.runner} ${command.fence.version} ${command.attempt}`
    : null;

export class Model {
  seen: Seen;
  /** The runner and attempt that committed each line of the history. */
  #episodes: (string | null)[] = [null];
  /** The original text of an edited message, which identifies it in all its versions. */
  #firstTexts = new Map<string, string>();
  #versions: Version[] = [];
  #versionCount = 0;

  constructor(first: string, title: string) {
    this.seen = {
      status: 'running',
      archived: false,
      deleted: false,
      title,
      queue: [],
      history: [`user: ${first}`],
      versions: [],
      open: [],
      asked: {},
      decided: [],
      runner: null,
      queuedForCapacity: false,
      compactionRequested: false,
      retrying: false,
      failed: false,
      interrupted: false,
      attempt: 0,
      snapshot: 1,
      historyVersion: 1,
      queueVersion: 0,
      replyVersion: 0,
      retryVersion: 0,
      resetVersion: 0,
    };
  }

  clone(): Model {
    const copy = new Model('', '');
    copy.seen = structuredClone(this.seen);
    copy.#episodes = [...this.#episodes];
    copy.#firstTexts = new Map(this.#firstTexts);
    copy.#versions = structuredClone(this.#versions);
    copy.#versionCount = this.#versionCount;
    return copy;
  }

  /** Applies the command, or returns the code of its refusal and changes nothing. */
  apply(command: Command): string | null {
    const before = structuredClone(this.seen);
    const refusal = this.#perform(command);
    const episode = episodeOf(command);
    if (refusal !== null) {
      this.seen = before;
      // A runner that repeats a commit gets its result: the first response may have been lost.
      const again = command.do !== 'finish_interruption' && this.#episodes.includes(episode ?? '');
      return again ? null : refusal;
    }
    const { seen } = this;
    const kept = this.#keptLines(command, before);
    this.#episodes = seen.history.map((_, n) => (n < kept ? (this.#episodes[n] ?? null) : episode));
    // A new owner alone takes no version. An attempt that begins with an acquisition does.
    if (OWNERSHIP.has(command.do) && seen.attempt === before.attempt) return null;
    if (REPEATABLE.has(command.do) && same(seen, before)) return null;
    seen.snapshot += 1;
    this.#setVersions(command, before);
    return null;
  }

  /** The number of lines that keep the attempt that committed them. */
  #keptLines(command: Command, before: Seen): number {
    const { history } = this.seen;
    if (command.do === 'edit') return history.length;
    if (command.do !== 'select') return before.history.length;
    const first = history.findIndex((line, n) => line !== before.history[n]);
    return first === -1 ? history.length : first;
  }

  #setVersions(command: Command, before: Seen): void {
    const { seen } = this;
    if (!same(seen.history, before.history) || BRANCHES.has(command.do)) {
      seen.historyVersion = seen.snapshot;
      seen.attempt = seen.attempt === BEGUN_WITH_STEP ? 1 : 0;
    }
    if (!same(seen.queue, before.queue) || TOUCHES_QUEUE.has(command.do)) {
      seen.queueVersion = seen.snapshot;
    }
    const replied = seen.history.slice(before.history.length).some(isReply);
    const news = replied || command.do === 'fail';
    if (news && !BRANCHES.has(command.do)) seen.replyVersion = seen.snapshot;
    if (command.do === 'retry' || seen.retrying !== before.retrying) {
      seen.retryVersion = seen.snapshot;
    }
    if (BRANCHES.has(command.do)) seen.resetVersion = seen.snapshot;
  }

  #perform(command: Command): string | null {
    const { seen } = this;
    const ofRunner =
      OWNERSHIP.has(command.do) ||
      command.do === 'wait_for_capacity' ||
      command.do === 'expire' ||
      'fence' in command;
    if (seen.deleted && command.do !== 'restore') {
      return OWNERSHIP.has(command.do) ? 'not_runnable' : 'not_found';
    }
    if (seen.archived && !WHILE_ARCHIVED.has(command.do)) {
      return ofRunner ? 'not_runnable' : 'chat_archived';
    }
    const running = seen.status === 'running';
    const busy = running || seen.status === 'interrupting';
    const idle = seen.status === 'waiting' || seen.status === 'error';
    const asking = seen.status === 'requires_action';

    switch (command.do) {
      case 'send':
        return this.#send({ text: command.text, behavior: command.behavior });
      case 'edit': {
        const at = this.#messageAt(command.target);
        if (at === -1) return 'not_found';
        this.#firstTexts.set(command.text, this.#firstText(command.target));
        this.#storeVersion(at);
        this.#beginVersion();
        seen.history.push(`user: ${command.text}`);
        seen.queue = [];
        this.#runAgain();
        return null;
      }
      case 'regenerate': {
        const at = this.#messageAt(command.target);
        if (at === -1) return 'not_found';
        this.#storeVersion(at + 1);
        this.#beginVersion();
        this.#runAgain();
        return null;
      }
      case 'select': {
        if (!idle || seen.queue.length > 0) return 'chat_active';
        const version = this.#reachable().find(({ number }) => number === command.version);
        if (version === undefined) return 'not_found';
        const { lines, before, open, interrupted } = version;
        if (lines === null) return null;
        this.#storeVersion(before.length, true);
        seen.history.push(...lines);
        version.lines = null;
        this.#closed(seen.open);
        this.#cancel(open);
        seen.status = 'waiting';
        seen.failed = false;
        seen.interrupted = interrupted;
        this.#listVersions();
        return null;
      }
      case 'delete_queued':
      case 'move_queued':
      case 'promote': {
        const entry = seen.queue.find(({ text }) => text === command.target);
        if (entry === undefined) return 'not_found';
        const others = seen.queue.filter((other) => other !== entry);
        if (command.do === 'delete_queued') seen.queue = others;
        if (command.do === 'move_queued') {
          seen.queue = others.toSpliced(command.position, 0, entry);
        }
        if (command.do === 'promote') this.#promote(entry, others);
        return null;
      }
      case 'interrupt':
        if (idle) return 'not_running';
        if (asking) this.#resumeWithout(seen.open);
        else seen.status = 'interrupting';
        return null;
      case 'submit': {
        if (!asking) return 'not_waiting_for_tools';
        const awaited = this.#awaited('dynamic');
        if (awaited.length === 0) return 'not_waiting_for_tools';
        const exact = command.ids.toSorted().join(' ') === awaited.toSorted().join(' ');
        if (!exact) return 'tool_results_mismatch';
        seen.history.push(`tool: ${awaited.map((id) => `result(${id})`).join(' ')}`);
        this.#closed(awaited);
        this.#resume();
        return null;
      }
      case 'decide': {
        if (!asking) return 'not_waiting_for_you';
        const first = this.#awaited('approval').filter((id) => command.ids.includes(id));
        if (first.length === 0) return 'not_waiting_for_you';
        seen.decided = seen.open.filter((id) => seen.decided.includes(id) || first.includes(id));
        this.#resume();
        return null;
      }
      case 'reply':
        if (!asking || !this.#awaited('question').includes(command.id)) {
          return 'not_waiting_for_you';
        }
        seen.history.push(`tool: result(${command.id})`);
        this.#closed([command.id]);
        this.#resume();
        return null;
      case 'expire': {
        const awaited = this.#awaited('dynamic');
        if (!asking || awaited.length === 0) return 'not_runnable';
        this.#resumeWithout(awaited);
        return null;
      }
      case 'compact':
        if (!idle) return 'chat_active';
        if (!this.#repliedSinceSummary()) return 'nothing_to_compact';
        this.#cancel(seen.open);
        this.#beginTurn();
        seen.compactionRequested = true;
        return null;
      case 'archive':
        if (!idle) return 'chat_active';
        seen.archived = true;
        return null;
      case 'unarchive':
        seen.archived = false;
        return null;
      case 'rename':
        seen.title = command.title;
        return null;
      case 'delete':
        if (!idle) return 'chat_active';
        seen.deleted = true;
        return null;
      case 'restore':
        if (!seen.deleted) return 'not_found';
        seen.deleted = false;
        return null;
      case 'take_up':
      case 'sweep':
        if (!busy || seen.runner !== null) return 'not_runnable';
        seen.runner = command.runner;
        if (command.do === 'take_up' && this.#needsModelResponse()) {
          seen.attempt = 1;
          seen.queuedForCapacity = false;
        }
        return null;
      case 'wait_for_capacity':
        if (!busy) return 'not_runnable';
        if (seen.runner === null) seen.queuedForCapacity = true;
        return null;
      case 'release':
        if (!busy || seen.runner !== command.runner) return 'not_runnable';
        seen.runner = null;
        return null;
      case 'finish_interruption':
        if (seen.status !== 'interrupting') return 'not_runnable';
        break;
      case 'fail':
        if (!busy) return 'not_runnable';
        break;
      case 'begin':
      case 'retry':
      case 'say':
      case 'call':
      case 'answer':
      case 'summarize':
      case 'require':
      case 'finish':
        if (!running) return 'not_runnable';
    }
    if (seen.runner !== command.fence.runner) return 'lost_lease';
    if (seen.historyVersion !== command.fence.version) return 'obsolete';
    return this.#run(command);
  }

  #firstText(text: string): string {
    return this.#firstTexts.get(text) ?? text;
  }

  #messageAt(target: string): number {
    const first = this.#firstText(target);
    return this.seen.history.findIndex(
      (line) => line.startsWith('user: ') && this.#firstText(line.slice('user: '.length)) === first,
    );
  }

  /** The versions that follow a prefix of the history. */
  #reachable(): Version[] {
    const { history } = this.seen;
    return this.#versions.filter(({ before }) => same(before, history.slice(0, before.length)));
  }

  #currentAfter(before: readonly string[]): Version | undefined {
    return this.#versions.find((one) => one.lines === null && same(one.before, before));
  }

  #addVersion(before: readonly string[]): Version {
    this.#versionCount += 1;
    const version = {
      number: this.#versionCount,
      before,
      lines: null,
      open: [],
      interrupted: false,
    };
    this.#versions.push(version);
    return version;
  }

  /** Truncates the history and keeps the removed lines as a version. */
  #storeVersion(length: number, evenEmpty = false): void {
    const { seen } = this;
    const lines = seen.history.slice(length);
    seen.history = seen.history.slice(0, length);
    if (lines.length === 0 && !evenEmpty) return;
    const version = this.#currentAfter(seen.history) ?? this.#addVersion([...seen.history]);
    version.lines = lines;
    version.open = [...seen.open];
    version.interrupted =
      seen.interrupted || (seen.status !== 'waiting' && seen.status !== 'error');
  }

  /** Adds a version for what follows, if there are other versions at this point. */
  #beginVersion(): void {
    const { history } = this.seen;
    const others = this.#versions.some(({ before }) => same(before, history));
    if (others && this.#currentAfter(history) === undefined) this.#addVersion([...history]);
    this.#listVersions();
  }

  #listVersions(): void {
    this.seen.versions = this.#reachable()
      .map(({ number, before, lines }) => ({
        number,
        after: before.length,
        current: lines === null,
      }))
      .toSorted((a, b) => a.after - b.after || a.number - b.number);
  }

  #runAgain(): void {
    const { seen } = this;
    seen.compactionRequested = false;
    this.#closed(seen.open);
    this.#beginTurn();
  }

  #run(command: Extract<Command, { fence: Fence }>): string | null {
    const { seen } = this;
    if ('attempt' in command && command.do !== 'finish_interruption') {
      const expected = command.do === 'begin' ? command.attempt - 1 : command.attempt;
      if (seen.attempt !== expected) return 'obsolete';
    }
    switch (command.do) {
      case 'begin':
        seen.attempt = command.attempt;
        seen.retrying = false;
        seen.queuedForCapacity = false;
        return null;
      case 'retry':
        seen.retrying = true;
        return null;
      case 'say':
        seen.history.push(`assistant: ${command.text}`);
        this.#committed(command.next);
        return null;
      case 'call':
        if (seen.open.length > 0) return 'invalid_request';
        seen.history.push(`assistant: ${command.ids.map((id) => `call(${id})`).join(' ')}`);
        seen.open = [...command.ids];
        this.#committed(command.next);
        return null;
      case 'summarize': {
        const { text } = command;
        seen.history.push(`assistant: call(${text})`, `tool: result(${text})`);
        if (!command.fails) seen.history.push(`summary: ${text}`);
        seen.compactionRequested = false;
        this.#committed(command.next);
        return null;
      }
      case 'answer': {
        const unique = new Set(command.ids);
        if (unique.size !== command.ids.length) return 'invalid_request';
        if (command.ids.some((id) => !seen.open.includes(id))) return 'invalid_request';
        seen.history.push(`tool: ${command.ids.map((id) => `result(${id})`).join(' ')}`);
        this.#closed(command.ids);
        this.#committed(command.next);
        return null;
      }
      case 'require':
        if (seen.open.length === 0) return 'invalid_request';
        seen.asked = Object.fromEntries(seen.open.map((id) => [id, kindOf(id, command.pick)]));
        seen.decided = [];
        seen.status = 'requires_action';
        this.#giveUpRunner();
        return null;
      case 'finish':
        if (seen.open.length > 0) return 'invalid_request';
        this.#endTurn();
        return null;
      case 'finish_interruption':
        if (command.text !== null) seen.history.push(`assistant: ${command.text}`);
        this.#cancel(seen.open);
        this.#endTurn();
        if (seen.status === 'waiting') seen.interrupted = true;
        return null;
      case 'fail':
        seen.status = 'error';
        seen.failed = true;
        seen.compactionRequested = false;
        this.#giveUpRunner();
        return null;
    }
  }

  /** Delivers steering messages at the end of a step. `next` applies only if nothing else has to happen first. */
  #committed(next: Next): void {
    const { seen } = this;
    seen.retrying = false;
    const nothingQueued = seen.queue.length === 0;
    this.#joinSteering();
    if (!nothingQueued || seen.open.length > 0 || seen.compactionRequested) return;
    if (next === 'finish_turn') this.#endTurn();
    if (next !== 'begin_attempt') return;
    seen.attempt = BEGUN_WITH_STEP;
    seen.queuedForCapacity = false;
  }

  #needsModelResponse(): boolean {
    const { status, attempt, open, compactionRequested, retrying } = this.seen;
    const busyOtherwise = open.length > 0 || compactionRequested || retrying;
    return status === 'running' && attempt === 0 && !busyOtherwise;
  }

  #repliedSinceSummary(): boolean {
    const { history } = this.seen;
    const summary = history.findLastIndex((line) => line.startsWith('summary: '));
    return history.slice(summary + 1).some(isReply);
  }

  #beginTurn(): void {
    const { seen } = this;
    seen.status = 'running';
    seen.failed = false;
    seen.interrupted = false;
    seen.retrying = false;
  }

  #giveUpRunner(): void {
    const { seen } = this;
    seen.runner = null;
    seen.retrying = false;
    seen.queuedForCapacity = false;
  }

  #send(entry: Waiting): string | null {
    const { seen } = this;
    if (seen.status === 'waiting' || seen.status === 'error') {
      this.#cancel(seen.open);
      seen.queue.push({ ...entry, behavior: 'queue' });
      this.#joinNext();
      this.#beginTurn();
      return seen.queue.length > LIMIT ? 'queue_full' : null;
    }
    if (seen.status === 'requires_action' && entry.behavior === 'interrupt') {
      this.#cancel(seen.open);
      this.#joinSteering();
      seen.history.push(`user: ${entry.text}`);
      this.#beginTurn();
      return null;
    }
    const rank = { interrupt: 0, steer: 1, queue: 2 };
    const before = seen.queue.findIndex((other) => rank[other.behavior] > rank[entry.behavior]);
    seen.queue.splice(before === -1 ? seen.queue.length : before, 0, entry);
    if (entry.behavior === 'interrupt') seen.status = 'interrupting';
    return seen.queue.length > LIMIT ? 'queue_full' : null;
  }

  #promote(entry: Waiting, others: Waiting[]): void {
    const { seen } = this;
    if (seen.status === 'running' || seen.status === 'interrupting') {
      seen.status = 'interrupting';
      seen.queue = [{ ...entry, behavior: 'interrupt' }, ...others];
      return;
    }
    const asking = seen.status === 'requires_action';
    seen.queue = others;
    this.#cancel(seen.open);
    if (asking) this.#joinSteering();
    seen.history.push(`user: ${entry.text}`);
    this.#beginTurn();
  }

  #awaited(kind: ActionKind): string[] {
    const { open, asked, decided } = this.seen;
    return open.filter((id) => asked[id] === kind && !decided.includes(id));
  }

  #closed(ids: readonly string[]): void {
    const { seen } = this;
    seen.open = seen.open.filter((id) => !ids.includes(id));
    seen.asked = Object.fromEntries(
      Object.entries(seen.asked).filter(([id]) => seen.open.includes(id)),
    );
    seen.decided = seen.decided.filter((id) => seen.open.includes(id));
  }

  #cancel(ids: readonly string[]): void {
    if (ids.length > 0) {
      this.seen.history.push(`tool: ${ids.map((id) => `error(${id})`).join(' ')}`);
    }
    this.#closed(ids);
  }

  #resumeWithout(ids: readonly string[]): void {
    this.#cancel(ids);
    this.#resume();
  }

  /** Continues the turn unless other calls still require an action. A decided call stays open until it has run. */
  #resume(): void {
    const { seen } = this;
    if (seen.open.some((id) => !seen.decided.includes(id))) return;
    seen.status = 'running';
    this.#joinSteering();
  }

  #joinSteering(): void {
    const { seen } = this;
    if (seen.open.length > 0) return;
    const steering = seen.queue.filter(({ behavior }) => behavior === 'steer');
    seen.history.push(...steering.map(({ text }) => `user: ${text}`));
    seen.queue = seen.queue.filter((entry) => !steering.includes(entry));
  }

  /** Delivers all urgent messages at the front of the queue, or one ordinary message. */
  #joinNext(): void {
    const { seen } = this;
    const urgent = seen.queue.findIndex((entry) => !isUrgent(entry));
    const count = urgent === -1 ? seen.queue.length : Math.max(urgent, 1);
    const joining = seen.queue.splice(0, count);
    seen.history.push(...joining.map(({ text }) => `user: ${text}`));
  }

  #endTurn(): void {
    const { seen } = this;
    seen.compactionRequested = false;
    if (seen.queue.length === 0) {
      seen.status = 'waiting';
      this.#giveUpRunner();
      return;
    }
    this.#joinNext();
    this.#beginTurn();
  }
}
