import type { CallAnswer } from '@chatd/client';
import type { File as StoredFile } from '@chatd/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Files as FilesIcon } from 'lucide-react';
import { apiPath, client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { byteCount } from '../../format/byte-count.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

type FilePage = CallAnswer<'listFiles'>;

const PAGE = 50;

export function Files() {
  const pages = useInfiniteQuery({
    queryKey: ['listFiles', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.call('listFiles', {
        query: { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  return (
    <>
      <Heading
        title="Files"
        about="Your uploads and the files that models and tools created in your chats. A file is deleted with the last chat that uses it, or after 7 days if no chat uses it."
      />
      <QueryResult to={pages}>
        {({ pages: [first, ...more] }) => {
          const files = [first, ...more].flatMap((page) => page?.files ?? []);
          return files.length === 0 ? (
            <EmptyState icon={<FilesIcon />} title="No files yet">
              Attach a file to a message to upload it.
            </EmptyState>
          ) : (
            <>
              <p className="text-sm text-muted">{first === undefined ? '' : usageOf(first)}</p>
              <Rows label="Your files">
                {files.map((file) => (
                  <FileRow key={file.id} file={file} />
                ))}
              </Rows>
              {pages.hasNextPage && (
                <Button
                  disabled={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  Show more files
                </Button>
              )}
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

const usageOf = ({ used_bytes, max_bytes }: Pick<FilePage, 'used_bytes' | 'max_bytes'>): string =>
  `${byteCount(used_bytes)}${max_bytes === null ? '' : ` of ${byteCount(max_bytes)}`} used`;

function FileRow({ file }: { readonly file: StoredFile }) {
  const { id, media_type, size, created_at, chat_ids } = file;
  const changed = useInvalidateQueries();
  const name = safeText(file.name);
  const remove = async () => {
    await client.call('deleteFile', { params: { file_id: id } });
    await changed();
  };
  return (
    <Row
      title={
        <a href={apiPath(`/files/${id}`)} download={file.name} className="hover:underline">
          {name}
        </a>
      }
      about={
        <>
          {byteCount(size)} · {safeText(media_type)} · <TimeAgo time={created_at} /> ·{' '}
          <Uses chatIds={chat_ids} />
        </>
      }
      actions={
        <DeleteButton what="file" name={name} onDelete={remove}>
          Chats that use it are kept. Models see a note in its place.
        </DeleteButton>
      }
    />
  );
}

/** Links to the newest chats only. */
const LINKS = 3;

function Uses({ chatIds }: { readonly chatIds: readonly string[] }) {
  if (chatIds.length === 0) return 'Not used in any chat';
  const linked = chatIds.toReversed().slice(0, LINKS);
  return (
    <>
      Used in{' '}
      {linked.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={`/chats/${id}`} className="underline">
            chat {index + 1}
          </a>
        </span>
      ))}
      {chatIds.length > LINKS && ` and ${chatIds.length - LINKS} more`}
    </>
  );
}
