import { useCallback, useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';

const SAID_MS = 1500;

/** Copies, and says for a moment that it has. */
export function useCopy(): [done: boolean, copy: (text: string) => Promise<void>] {
  const [done, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      toast.error('The browser did not allow copying. Select the text and copy it by hand.');
      return;
    }
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), SAID_MS);
  }, []);
  return [done, copy];
}
