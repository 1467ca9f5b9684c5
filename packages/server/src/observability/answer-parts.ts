import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A block of a response: text as the model wrote it, everything else as the package reported it. */
export type AnswerPart =
  | { readonly type: 'text' | 'reasoning'; text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; input: string }
  | { readonly type: 'other'; readonly part: LanguageModelV4StreamPart };

export class AnswerParts {
  readonly list: AnswerPart[] = [];
  readonly #byId = new Map<string, AnswerPart>();
  #left: number;
  #cut = 0;

  constructor(characters: number) {
    this.#left = characters;
  }

  get cut(): number {
    return this.#cut;
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        return this.#extend('text', part.id, part.delta);
      case 'reasoning-delta':
        return this.#extend('reasoning', part.id, part.delta);
      case 'tool-input-start':
        return this.#begin(`call ${part.id}`, callPart(part.id, part.toolName));
      case 'tool-input-delta': {
        const call = this.#byId.get(`call ${part.id}`);
        if (call?.type === 'tool-call') call.input += this.#within(part.delta);
        return;
      }
      case 'tool-call':
        if (this.#byId.has(`call ${part.toolCallId}`)) return;
        return this.#begin(`call ${part.toolCallId}`, {
          ...callPart(part.toolCallId, part.toolName),
          input: this.#within(part.input),
        });
      case 'tool-result':
      case 'tool-approval-request':
      case 'custom':
      case 'file':
      case 'reasoning-file':
      case 'source':
        this.list.push({ type: 'other', part });
        return;
      case 'stream-start':
      case 'response-metadata':
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
      case 'tool-input-end':
      case 'ping':
      case 'raw':
      case 'error':
      case 'finish':
    }
  }

  #extend(type: 'text' | 'reasoning', id: string, delta: string): void {
    const key = `${type} ${id}`;
    const known = this.#byId.get(key);
    if (known?.type === type) known.text += this.#within(delta);
    else this.#begin(key, { type, text: this.#within(delta) });
  }

  #begin(key: string, part: AnswerPart): void {
    this.#byId.set(key, part);
    this.list.push(part);
  }

  #within(text: string): string {
    const shown = text.slice(0, Math.max(0, this.#left));
    this.#left -= shown.length;
    this.#cut += text.length - shown.length;
    return shown;
  }
}

const callPart = (id: string, name: string) => ({
  type: 'tool-call' as const,
  id,
  name,
  input: '',
});
