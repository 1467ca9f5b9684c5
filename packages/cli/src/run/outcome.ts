import type { StreamedEvent } from '@chatd/client';
import type { AwaitedCall, ChatError, Message } from '@chatd/protocol';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** How a turn ended. Part of the JSON output. */
export type OutcomeName = 'ok' | 'failed' | 'needs_person' | 'interrupted' | 'timeout';

export interface Outcome {
  readonly outcome: OutcomeName;
  readonly exitCode: ExitCode;
  readonly error?: ChatError;
  /** The calls that wait for a reply. */
  readonly calls?: readonly AwaitedCall[];
}

export const INTERRUPTED: Outcome = { outcome: 'interrupted', exitCode: EXIT.interrupted };

interface TurnUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micros: number;
  /** Some calls have no known price. */
  readonly unpriced: boolean;
}

/** Collects the events of one turn. */
export class TurnRecord {
  readonly #messages = new Map<number, Message>();
  #interrupting = false;
  #error: ChatError | undefined;

  take(event: StreamedEvent): void {
    if (event.type === 'history_reset') this.#messages.clear();
    if (event.type === 'message') this.#messages.set(event.message.id, event.message);
    if (event.type === 'status' && event.status === 'interrupting') this.#interrupting = true;
    if (event.type === 'error') this.#error = event.error;
  }

  /** The status `interrupting` may have passed before the stream connected. */
  get #isCutOff(): boolean {
    const last = [...this.#messages.values()].findLast(({ role }) => role === 'assistant');
    return last?.cut_off === 'interrupted';
  }

  /** The last text of the model. */
  get text(): string {
    for (const message of [...this.#messages.values()].toReversed()) {
      if (message.role !== 'assistant') continue;
      const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      if (text.length > 0) return text.join('');
    }
    return '';
  }

  get usage(): TurnUsage {
    const answers = [...this.#messages.values()].filter(({ usage }) => usage !== undefined);
    const sum = (of: (message: Message) => number | undefined) =>
      answers.reduce((total, message) => total + (of(message) ?? 0), 0);
    return {
      input_tokens: sum(({ usage }) => usage?.input_tokens),
      output_tokens: sum(({ usage }) => usage?.output_tokens),
      cost_micros: sum(({ cost_micros }) => cost_micros),
      unpriced: answers.some(({ cost_micros }) => cost_micros === undefined),
    };
  }

  /** Valid once the turn has ended. */
  outcome(timedOut: boolean): Outcome {
    if (timedOut) return { outcome: 'timeout', exitCode: EXIT.timeout };
    if (this.#error !== undefined) {
      return { outcome: 'failed', exitCode: EXIT.failed, error: this.#error };
    }
    if (this.#interrupting || this.#isCutOff) return INTERRUPTED;
    return { outcome: 'ok', exitCode: EXIT.ok };
  }
}
