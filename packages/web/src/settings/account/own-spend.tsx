import { useQuery } from '@tanstack/react-query';
import { counted } from '../../format/number.ts';
import { utcDay } from '../../format/time.ts';
import { apiQuery } from '../../api/queries.ts';
import { money } from '../../format/money.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { Meter } from '../parts/meter.tsx';

export function OwnSpend() {
  const spend = useQuery(apiQuery('getMySpend'));
  return (
    <QueryResult to={spend}>
      {({ limit_micros, spent_micros, left_micros, unpriced_calls, limits, resets_at }) => (
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
          {limits.map((shared) => (
            <div key={shared.group_id ?? ''}>
              <p>
                {shared.group_name === null
                  ? 'All users together: '
                  : `Group ${safeText(shared.group_name)}: `}
                {money(shared.spent_micros)} of {money(shared.limit_micros)} spent.
              </p>
              <Meter
                label={`Spend of the limit of ${shared.group_name ?? 'all users'}`}
                value={shared.spent_micros}
                most={shared.limit_micros}
              />
            </div>
          ))}
          <p className="text-sm text-muted">
            Resets on {utcDay(resets_at)} (UTC).
            {unpriced_calls > 0 && ` Without ${counted(unpriced_calls, 'call')} of unknown price.`}
          </p>
        </div>
      )}
    </QueryResult>
  );
}
