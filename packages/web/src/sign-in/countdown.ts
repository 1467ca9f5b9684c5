import { useEffect, useState } from 'react';

/** Seconds until a time, updated every second. Undefined without a time. */
export function useCountdown(until: number | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  const left = until === undefined ? undefined : Math.max(0, Math.ceil((until - now) / 1000));
  const counting = left !== undefined && left > 0;
  useEffect(() => {
    if (until === undefined) return;
    setNow(Date.now());
    if (!counting) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until, counting]);
  return left;
}

export function remainingText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
