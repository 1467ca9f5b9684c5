import type { ErrorKind } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { ChatRow } from '../chat/row.ts';
import type { Observer, TurnObserver } from './observer.ts';
import { outcomeOf } from './turn-outcome.ts';

/** Outcomes that are not failures. */
const AS_WANTED: ReadonlySet<ErrorKind> = new Set(['spend_limit', 'step_limit', 'content_filter']);

/** Logs turns with kinds and ids, but never with content. */
export class TurnLog implements Observer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  turn({ id: chat_id, model_config_id, attempt }: ChatRow): TurnObserver {
    const log = this.#log;
    const started = performance.now();
    log.debug({ chat_id, model_config_id, attempt }, 'turn started');
    return {
      retrying({ kind, provider, status_code, attempt, delay_ms }) {
        const about = { chat_id, kind, provider, status_code, attempt, delay_ms };
        log.info(about, 'model call failed; retrying');
      },
      ended(outcome) {
        const ms = Math.round(performance.now() - started);
        if (outcome instanceof Error || outcome.type !== 'failed') {
          log.debug({ chat_id, outcome: outcomeOf(outcome), ms }, 'turn ended');
          return;
        }
        const { kind, provider, status_code } = outcome.error;
        const about = { chat_id, kind, provider, status_code, model_config_id, ms };
        log[AS_WANTED.has(kind) ? 'info' : 'warn'](about, 'turn failed');
      },
    };
  }
}
