import { useState } from 'react';
import { explain } from '../../api/explain.ts';

/** Runs one request at a time, and keeps why it failed. */
export function useAction(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      onDone();
    } catch (caught) {
      setProblem(explain(caught));
    }
    setBusy(false);
  };
  return { busy, problem, run };
}
