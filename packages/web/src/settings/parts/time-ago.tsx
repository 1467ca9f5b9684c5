import { useState } from 'react';
import { ago, dateAndTime } from '../../format/time.ts';

/** The time relative to when it was first shown; its tooltip has the exact time. */
export function TimeAgo({ time }: { readonly time: string }) {
  const [now] = useState(() => Date.now());
  return (
    <time dateTime={time} title={dateAndTime(time)}>
      {ago(time, now)}
    </time>
  );
}
