import { Compass } from 'lucide-react';
import { useCallback, useRef, useSyncExternalStore } from 'react';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { Folds } from '../../state/chat/folds.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Fold } from '../parts/fold.tsx';
import { explorationOf } from './exploration.ts';
import { ToolCard } from './tool-card.tsx';
import type { ToolView } from './tool-view.ts';

/** Consecutive reads, lists and searches as one line. */
export function Explored({
  callIds,
  chatId,
  store,
}: {
  readonly callIds: readonly string[];
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const views = useViews(store, callIds);
  const running = views.some(({ state }) => state === 'running' || state === 'writing');
  return (
    <Fold
      label="Exploration"
      folds={store.folds}
      foldKey={`${callIds[0]}/explored`}
      icon={running ? <Spinner /> : <Compass />}
      open={useAnyOpen(store.folds, callIds)}
      title={`${running ? 'Exploring' : 'Explored'} ${explorationOf(views)}`}
    >
      {views.map((view) => (
        <ToolCard key={view.call.tool_call_id} view={view} chatId={chatId} store={store} />
      ))}
    </Fold>
  );
}

/** A call that the user, or a search, has expanded is shown. */
function useAnyOpen(folds: Folds, callIds: readonly string[]): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = callIds.map((id) => folds.of(id).subscribe(listener));
      return () => {
        for (const each of leave) each();
      };
    },
    [folds, callIds],
  );
  return useSyncExternalStore(subscribe, () => callIds.some((id) => folds.of(id).get() === true));
}

function useViews(store: ChatStore, callIds: readonly string[]): readonly ToolView[] {
  const last = useRef<readonly ToolView[]>([]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = callIds.map((id) => store.tools.view(id)?.subscribe(listener));
      return () => {
        for (const each of leave) each?.();
      };
    },
    [store, callIds],
  );
  return useSyncExternalStore(subscribe, () => {
    const views = callIds.flatMap((id) => store.tools.view(id)?.get() ?? []);
    const same =
      views.length === last.current.length && views.every((view, at) => view === last.current[at]);
    if (!same) last.current = views;
    return last.current;
  });
}
