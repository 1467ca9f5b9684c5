import { useQuery } from '@tanstack/react-query';
import { question } from '../../api/queries.ts';
import { money } from '../../ui/money.ts';
import { Answer } from '../parts/answer.tsx';
import { Meter } from '../parts/meter.tsx';

export function OwnSpend() {
  const spend = useQuery(question('getMySpend'));
  return (
    <Answer to={spend}>
      {({ limit_micros, spent_micros, left_micros, unpriced_calls, resets_at }) => (
        <div className="flex flex-col gap-1">
          <p>
            <strong>{money(spent_micros)}</strong>
            {limit_micros === null
              ? ' spent. No limit.'
              : ` of ${money(limit_micros)} spent, ${money(left_micros ?? 0)} left.`}
          </p>
          {limit_micros !== null && (
            <Meter label="Spend of your limit" value={spent_micros} most={limit_micros} />
          )}
          <p className="text-sm text-muted">
            Resets on {new Date(resets_at).toLocaleDateString(undefined, { timeZone: 'UTC' })}{' '}
            (UTC).
            {unpriced_calls > 0 && ` ${unpriced_calls} calls without a price are not included.`}
          </p>
        </div>
      )}
    </Answer>
  );
}
