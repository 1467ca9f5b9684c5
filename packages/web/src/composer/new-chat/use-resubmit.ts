import { useEffect, useEffectEvent, useRef } from 'react';
import { useCell } from '../../state/cell.ts';
import { type ComposerState, isFresh } from '../../state/composer-state.ts';
import { connection } from '../../state/connection.ts';
import { contentOf } from '../send/content.ts';
import { requestOf } from '../send/deliver.ts';

const MOST_TRIES = 3;

/** Starts the chat once the server answers again, unless the draft was changed meanwhile. */
export function useResubmit(composing: ComposerState, submit: () => void): void {
  const waits = useCell(composing.notice)?.offline === true;
  const tries = useRef(0);
  const again = useEffectEvent(() => {
    const { unsent } = composing;
    const isSame = requestOf(composing, { content: contentOf(composing.draft()) }) === unsent;
    if (isSame && isFresh(unsent) && tries.current < MOST_TRIES) {
      tries.current += 1;
      submit();
    }
  });
  useEffect(() => {
    if (!waits) return;
    const left = new AbortController();
    const wait = async () => {
      await connection.restored();
      if (!left.signal.aborted) again();
    };
    void wait();
    return () => left.abort();
  }, [waits]);
}
