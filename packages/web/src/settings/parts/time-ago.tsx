import { useState } from 'react';
import { ago } from '../../ui/time.ts';

/** When something was, as seen from when it was first shown; exactly, for whoever points at it. */
export function TimeAgo({ time }: { readonly time: string }) {
  const [now] = useState(() => Date.now());
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ago(time, now)}
    </time>
  );
}
