import type { Message } from '@chatd/protocol';
import type { TurnMetadata } from './chunk.ts';

/** The usage of a turn, summed over its steps. */
export class TurnTotals {
  readonly #chatId: string;
  readonly #usage: Record<string, number> = {};
  #modelConfigId: string | undefined;
  #costMicros: number | undefined;

  constructor(chatId: string) {
    this.#chatId = chatId;
  }

  add({ usage = {}, model_config_id, cost_micros }: Message): void {
    for (const [name, tokens] of Object.entries(usage)) {
      if (tokens === undefined) continue;
      // The context limit is not summed.
      this.#usage[name] = name === 'context_limit' ? tokens : (this.#usage[name] ?? 0) + tokens;
    }
    if (model_config_id !== undefined) this.#modelConfigId = model_config_id;
    if (cost_micros !== undefined) this.#costMicros = (this.#costMicros ?? 0) + cost_micros;
  }

  get metadata(): TurnMetadata {
    return {
      chat_id: this.#chatId,
      ...(Object.keys(this.#usage).length > 0 && { usage: { ...this.#usage } }),
      ...(this.#modelConfigId !== undefined && { model_config_id: this.#modelConfigId }),
      ...(this.#costMicros !== undefined && { cost_micros: this.#costMicros }),
    };
  }
}
