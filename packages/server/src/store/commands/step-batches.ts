import type { Database } from '../database.ts';
import type { JsonText } from '../json.ts';
import { commitSteps, type CommittedMessage } from '../queries/runs/commit-steps.ts';

/** A step as JSON. `messages` is an array, and its elements have the number of the step. */
export interface EncodedStep {
  readonly step: number;
  readonly chatId: string;
  readonly record: JsonText;
  readonly messages: JsonText;
}

interface WaitingStep extends EncodedStep {
  readonly resolve: (rows: CommittedMessage[]) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_STEPS = 64;
/** Characters of JSON after which a batch takes no further step. */
const MAX_LENGTH = 1_000_000;
/** PostgreSQL works on one batch while another one waits for the disk. */
const MAX_IN_FLIGHT = 2;
/** A batch without an answer for so long no longer holds back others: its connection may be broken. */
const SLOW_MS = 1_000;

/**
 * Commits steps of different chats in one statement: those that become ready in the same turn of the event loop, or
 * while two other batches are in flight. A step on an idle server does not wait.
 */
export class StepBatches {
  readonly #database: Database;
  #waiting: WaitingStep[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The rows of the step. None: it was not written, because its chat is locked or does not allow it. */
  commit(step: EncodedStep): Promise<CommittedMessage[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...step, resolve, reject });
      if (this.#scheduled || this.#inFlight >= MAX_IN_FLIGHT) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) void this.#run(this.#next());
  }

  #next(): WaitingStep[] {
    let length = 0;
    const full = this.#waiting.findIndex((step, index) => {
      if (index >= MAX_STEPS || length >= MAX_LENGTH) return true;
      length += step.messages.length;
      return false;
    });
    // In the order of ids to avoid deadlocks.
    return this.#waiting
      .splice(0, full === -1 ? this.#waiting.length : full)
      .sort((a, b) => (a.chatId < b.chatId ? -1 : 1));
  }

  async #run(batch: readonly WaitingStep[]): Promise<void> {
    this.#inFlight += 1;
    let counted = true;
    const finish = () => {
      if (!counted) return;
      counted = false;
      this.#inFlight -= 1;
      this.#flush();
    };
    const slow = setTimeout(finish, SLOW_MS);
    try {
      await this.#commit(batch);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      // A step that fails must not fail others. A step that was committed, but whose answer was lost, writes nothing now.
      else await Promise.all(batch.map((step) => this.#commit([step]).catch(step.reject)));
    }
    clearTimeout(slow);
    finish();
  }

  async #commit(batch: readonly WaitingStep[]): Promise<void> {
    const rows = await this.#database.query(commitSteps, {
      steps: `[${batch.map(({ record }) => record).join()}]` as JsonText,
      messages: `[${batch.map(({ messages }) => messages.slice(1, -1)).join()}]` as JsonText,
    });
    const byStep = new Map(batch.map(({ step }) => [step, [] as CommittedMessage[]]));
    for (const row of rows) byStep.get(row.step)?.push(row);
    for (const { step, resolve } of batch) resolve(byStep.get(step) ?? []);
  }
}
