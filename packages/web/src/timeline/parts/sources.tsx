import type { ListedSource } from '@chatd/protocol/presentation';
import { BookOpen } from 'lucide-react';
import type { Folds } from '../../state/chat/folds.ts';
import { Fold } from './fold.tsx';
import { PageList } from './page-list.tsx';

/** The distinct sources of an answer. */
export function Sources({
  rowKey,
  sources,
  folds,
}: {
  readonly rowKey: string;
  readonly sources: readonly ListedSource[];
  readonly folds: Folds;
}) {
  const title = sources.length === 1 ? '1 source' : `${sources.length} sources`;
  return (
    <Fold label="Sources" folds={folds} foldKey={rowKey} icon={<BookOpen />} title={title}>
      <PageList label="Sources" pages={sources} />
    </Fold>
  );
}
