import { useCallback, useEffect, useRef, useState } from 'react';
import { toast } from '../ui/toast.ts';

const SAID_MS = 1500;

/** Copies text and confirms for a moment. */
export function useCopy(): [done: boolean, copy: (text: string) => Promise<void>] {
  const [done, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      toast.error('Copying is blocked by the browser. Select the text and copy it manually.');
      return;
    }
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), SAID_MS);
  }, []);
  return [done, copy];
}
