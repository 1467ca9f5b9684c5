import { useEffect } from 'react';
import type { Paging } from '../../state/chats/chat-list.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';

/** Loads more rows when it scrolls into view. */
export function ListEnd({
  paging,
  rowKey,
  onMore,
}: {
  readonly paging: Exclude<Paging, 'all'>;
  readonly rowKey: string;
  readonly onMore: (rowKey: string) => void;
}) {
  useEffect(() => {
    if (paging === 'more') onMore(rowKey);
  }, [paging, rowKey, onMore]);
  return (
    <div className="flex h-full items-center gap-2 px-2 text-muted">
      {paging === 'failed' ? (
        <>
          <span className="min-w-0 flex-1 truncate">Loading failed.</span>
          <Button size="small" onClick={() => onMore(rowKey)}>
            Try again
          </Button>
        </>
      ) : (
        <>
          <Spinner className="size-3.5" /> Loading more…
        </>
      )}
    </div>
  );
}
