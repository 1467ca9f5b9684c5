import type { HistoryMessage, HistoryPart, LiveEvent } from '@chatd/loop';
import { MemoryHistory } from '@chatd/loop';

export const user = (text: string): HistoryMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

export const asked = (text = 'hello') => new MemoryHistory([user(text)]);

export const partsOf = <T extends HistoryPart['type']>(
  messages: readonly HistoryMessage[],
  type: T,
): Extract<HistoryPart, { type: T }>[] =>
  messages
    .flatMap((m) => m.content)
    .filter((part): part is Extract<HistoryPart, { type: T }> => part.type === type);

export const textOf = (messages: readonly HistoryMessage[]) =>
  partsOf(
    messages.filter((m) => m.role === 'assistant'),
    'text',
  )
    .map((part) => part.text)
    .join('');

/** Live events, and a way to wait for one. */
export class Watch {
  readonly events: LiveEvent[] = [];
  #waiting: { matches: (event: LiveEvent) => boolean; resolve: () => void }[] = [];

  readonly publish = (event: LiveEvent) => {
    this.events.push(event);
    this.#waiting = this.#waiting.filter(({ matches, resolve }) => {
      if (!matches(event)) return true;
      resolve();
      return false;
    });
  };

  until(matches: (event: LiveEvent) => boolean): Promise<void> {
    if (this.events.some(matches)) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ matches, resolve });
    return promise;
  }

  untilText(text: string): Promise<void> {
    return this.until((e) => e.type === 'part' && e.part.type === 'text' && e.part.text === text);
  }

  get parts() {
    return this.events.flatMap((e) => (e.type === 'part' ? [{ role: e.role, ...e.part }] : []));
  }
}
