import { startTransition, useEffect, useState } from 'react';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { adviceFor } from './notices/advice.ts';
import { textsOf } from './rows/turn.ts';

/** Longer answers are cut off. */
const READ_OUT = 400;

/** Announces the start of a turn and its answer at the end, not every word. */
export function Announcer({ store }: { readonly store: ChatStore }) {
  const [words, setWords] = useState('');
  useEffect(() => {
    let before = store.status.get();
    let told = store.loaded.get();
    return store.status.subscribe(() => {
      const status = store.status.get();
      const news = status !== before && told;
      before = status;
      told = true;
      // Messages of the same change have arrived when the frame ends.
      if (news) queueMicrotask(() => startTransition(() => setWords(wordsFor(store))));
    });
  }, [store]);
  const error = useCell(store.error);
  return (
    <div className="sr-only" role="status" aria-live="polite" data-announcer="">
      {error === null ? words : `${adviceFor(error.kind).title}. ${error.message}`}
    </div>
  );
}

function wordsFor(store: ChatStore): string {
  switch (store.status.get()) {
    case 'running':
      return 'The agent is working.';
    case 'interrupting':
      return 'Stopping.';
    case 'requires_action':
      return 'The agent needs your input.';
    case 'error':
      return 'The turn failed.';
    case 'waiting': {
      const last = store.messages.get().findLast(({ role }) => role === 'assistant');
      const [text = ''] = last === undefined ? [] : textsOf(last);
      if (text === '') return 'The turn has ended.';
      return `The agent answered: ${text.length > READ_OUT ? `${text.slice(0, READ_OUT)} …` : text}`;
    }
  }
}
