import type { Trigger } from '@chatd/protocol';
import { timeIn } from '../../format/time.ts';
import { readingOf } from './schedule-fields.tsx';
import { addressOf } from './webhook-fields.tsx';

/** When a trigger fires: its schedule and next time, or its URL. */
export function When({ trigger }: { readonly trigger: Trigger }) {
  const { cron = '', timezone = 'UTC', next_fire_at } = trigger;
  if (trigger.kind === 'webhook') {
    return <p className="wrap-anywhere">{addressOf(trigger)}</p>;
  }
  return (
    <p>
      {readingOf(cron)}
      {next_fire_at !== null && ` · next: ${timeIn(timezone)(next_fire_at)}`}
    </p>
  );
}
