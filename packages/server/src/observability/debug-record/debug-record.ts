import { setImmediate as breath } from 'node:timers/promises';
import type { Settings } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { SecretValues } from '../../secrets/secret-values.ts';
import type { JsonText } from '../../store/json.ts';
import { insertDebugEntries } from '../../store/queries/debug-entries.ts';
import type { Queryable } from '../../store/statement.ts';
import { uuidv7At } from '../../store/uuid.ts';
import { AnswerParts } from '../answer-parts.ts';
import type { CallEnd, CallObserver, ModelCall, Observer, TurnObserver } from '../observer.ts';
import { entryOf } from './entry.ts';

export interface DebugRecordOptions {
  readonly database: Queryable;
  readonly settings: () => Promise<Pick<Settings, 'debug_record'>>;
  readonly secrets: SecretValues;
  readonly log: Logger;
  /** Limits of the queue. Calls beyond them are not recorded. */
  readonly capacity?: number;
}

const CAPACITY = 100;
const BATCH = 10;
const ANSWER_CHARACTERS = 64_000;

interface Ended {
  readonly at: Date;
  readonly call: ModelCall;
  readonly answer: AnswerParts;
  readonly end: CallEnd;
}

/**
 * Records model calls for debugging by admins. Calls are queued in memory and written in batches, so that turns do not
 * wait. If the queue is full or the database is unavailable, calls are dropped and counted.
 */
export class DebugRecord implements Observer {
  readonly #options: DebugRecordOptions;
  readonly #waiting: Ended[] = [];
  readonly #asking = new Set<Promise<void>>();
  #writing: Promise<void> | undefined;
  #written = 0;
  #dropped = 0;
  #failing = false;

  constructor(options: DebugRecordOptions) {
    this.#options = options;
  }

  get stats(): { readonly written: number; readonly dropped: number } {
    return { written: this.#written, dropped: this.#dropped };
  }

  turn(): TurnObserver {
    return { call: (call) => this.call(call) };
  }

  call(call: ModelCall): CallObserver {
    const at = new Date();
    const answer = new AnswerParts(ANSWER_CHARACTERS);
    let unwanted = false;
    const wanted = this.#isOn().then((on) => {
      unwanted = !on;
      return on;
    });
    return {
      part(part) {
        if (!unwanted) answer.add(part);
      },
      ended: (end) => {
        if (unwanted) return;
        const asking = wanted
          .then((on) => (on ? this.#keep({ at, call, answer, end }) : undefined))
          .finally(() => this.#asking.delete(asking));
        this.#asking.add(asking);
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#asking);
    await this.#writing;
  }

  /** Off if the setting cannot be read. */
  async #isOn(): Promise<boolean> {
    try {
      return (await this.#options.settings()).debug_record.enabled;
    } catch {
      return false;
    }
  }

  #keep(ended: Ended): void {
    if (this.#waiting.length >= (this.#options.capacity ?? CAPACITY)) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(ended);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    const { log } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        await this.#write(batch);
        this.#written += batch.length;
        this.#failing = false;
      } catch (error) {
        this.#dropped += batch.length;
        if (!this.#failing) log.warn({ err: error }, 'recording model calls failed');
        this.#failing = true;
      }
    }
  }

  async #write(batch: readonly Ended[]): Promise<void> {
    const { database, secrets } = this.#options;
    const entries: JsonText[] = [];
    for (const { call, answer, end } of batch) {
      // Yields to the event loop, because long prompts take time.
      await breath();
      entries.push(JSON.stringify(entryOf(call, answer, end, secrets)) as JsonText);
    }
    await database.query(insertDebugEntries, {
      ids: batch.map(({ at }) => uuidv7At(at.getTime())),
      chat_ids: batch.map(({ call }) => call.chat.id),
      created_ats: batch.map(({ at }) => at),
      entries,
    });
  }
}
