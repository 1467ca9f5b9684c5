import type { PushModel } from '@chatd/loop';
import type { Logger } from 'pino';
import type { CallContext, Instruments, TurnWatch } from '../worker/instruments.ts';
import { observedModel } from './observed-model.ts';
import type { CallObserver, ModelCall, Observer, TurnObserver } from './observer.ts';

/** Forwards events to several observers, and isolates their failures. */
export function instrumentsFor(observers: readonly Observer[], log: Logger): Instruments {
  const shield = new Shield(log);
  const observed = (
    model: PushModel,
    context: CallContext,
    facts: () => Pick<ModelCall, 'attempt' | 'warnings'>,
    watching: readonly Pick<TurnObserver, 'call'>[],
  ) =>
    observedModel(model, (options) => {
      const { chat, configId, purpose, url } = context;
      const call: ModelCall = {
        chat,
        configId,
        purpose,
        ...(url !== undefined && { url }),
        provider: model.provider,
        model: model.modelId,
        ...facts(),
        options,
      };
      return watching
        .map((observer) => shield.of(() => observer.call?.(call)))
        .filter((observer) => observer !== undefined)
        .map((observer) => shielded(observer, shield));
    });

  return {
    turn(chat, first): TurnWatch {
      const turns = observers
        .map((observer) => shield.of(() => observer.turn?.(chat)))
        .filter((turn) => turn !== undefined);
      let next = first;
      const warnings: string[] = [];
      const facts = () => ({ attempt: next++, warnings: warnings.splice(0) });
      return {
        model: (model, context) => observed(model, context, facts, turns),
        tool: (tool) => turns.reduce((so, turn) => shield.of(() => turn.tool?.(so)) ?? so, tool),
        stepCommitted(messages) {
          next = 1;
          for (const turn of turns) shield.of(() => turn.committed?.(messages));
        },
        retrying(retry) {
          next = retry.attempt + 1;
          for (const turn of turns) shield.of(() => turn.retrying?.(retry));
        },
        warned(warning) {
          warnings.push(warning);
        },
        ended(outcome) {
          for (const turn of turns) shield.of(() => turn.ended?.(outcome));
        },
      };
    },
    model: (model, context) =>
      observed(model, context, () => ({ attempt: 1, warnings: [] }), observers),
    acquired(waitingSince) {
      for (const observer of observers) shield.of(() => observer.acquired?.(waitingSince));
    },
    leaseLost(chatId) {
      for (const observer of observers) shield.of(() => observer.leaseLost?.(chatId));
    },
  };
}

function shielded(observer: CallObserver, shield: Shield): CallObserver {
  return {
    ...(observer.part && { part: (part) => shield.of(() => observer.part?.(part)) }),
    ended: (end) => shield.of(() => observer.ended(end)),
  };
}

/** Errors of an observer are logged once, because they may repeat with every part. */
class Shield {
  readonly #log: Logger;
  #said = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  of<T>(tell: () => T): T | undefined {
    try {
      return tell();
    } catch (error) {
      if (!this.#said)
        this.#log.error({ err: error }, 'an observer failed; further failures are not logged');
      this.#said = true;
      return undefined;
    }
  }
}
