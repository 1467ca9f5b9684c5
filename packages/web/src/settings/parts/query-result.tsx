import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explain } from '../../api/explain.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';

/** Renders query data, a spinner while loading, or the error. */
export function QueryResult<T>({
  to,
  loading = 'Loading',
  children,
}: {
  readonly to: UseQueryResult<T>;
  readonly loading?: string;
  readonly children: (answer: T) => ReactNode;
}) {
  if (to.data !== undefined) return children(to.data);
  if (to.error !== null) {
    return (
      <Notice kind="bad" live title="Loading failed">
        <p>{explain(to.error)}</p>
        <Button size="small" className="mt-2" onClick={() => void to.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 text-muted">
      <Spinner />
      {loading}…
    </p>
  );
}
