import { timeZones } from '../../format/time-zone.ts';
import cronstrue from 'cronstrue';
import { explain } from '../../api/explain.ts';
import { timeIn } from '../../format/time.ts';
import { Notice } from '../../ui/notice.tsx';
import type { Form } from '../form/use-form.ts';
import type { TriggerValues } from './trigger-values.ts';
import { usePreview } from './use-preview.ts';

/** "At 09:00, Monday through Friday". */
export const readingOf = (cron: string): string =>
  cronstrue.toString(cron, { use24HourTimeFormat: true, throwExceptionOnParseError: false });

const ZONES = timeZones();

export function ScheduleFields({ form }: { readonly form: Form<TriggerValues> }) {
  const { timezone } = form.values;
  const zones = [...new Set(['UTC', timezone, ...ZONES])];
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <form.Text
          name="cron"
          label="Schedule"
          spellCheck={false}
          className="font-mono"
          placeholder="0 9 * * 1-5"
          help="Minute, hour, day of month, month, day of week. Seconds are an optional first field."
        />
        <form.Select
          name="timezone"
          label="Time zone"
          choices={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
        />
      </div>
      <NextTimes cron={form.values.cron.trim()} timezone={timezone} />
      <form.Select
        name="missed"
        label="If the server was down"
        choices={[
          { value: 'skip', label: 'Skip missed times' },
          { value: 'once', label: 'Run once for all missed times' },
        ]}
      />
    </>
  );
}

function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const { data, error, isPlaceholderData } = usePreview({ cron, timezone });
  const wrong = error === null ? data?.schedule_error : explain(error);
  if (cron === '' || (data === undefined && error === null)) return null;
  if (wrong !== null && wrong !== undefined) {
    return (
      <Notice kind="warn" live>
        {wrong}
      </Notice>
    );
  }
  const show = timeIn(timezone, cron.split(/\s+/).length > 5);
  return (
    <section
      aria-label="Next times"
      aria-busy={isPlaceholderData}
      className="rounded-xl bg-surface px-4 py-3"
    >
      <p role="status" className="font-medium">
        {readingOf(cron)}
      </p>
      {data?.next_times?.length === 0 ? (
        <p className="text-muted">No time is left.</p>
      ) : (
        <ol className="mt-1 text-sm text-muted tabular-nums">
          {data?.next_times?.map((time) => (
            <li key={time}>
              <time dateTime={time}>{show(time)}</time>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
