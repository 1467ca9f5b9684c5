import { BlockGroupView } from '../markdown/blocks-view.tsx';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { Compaction, SUMMARY_TOOL } from './parts/compaction.tsx';
import { CutOff } from './parts/cut-off.tsx';
import { DayMark } from './parts/day-mark.tsx';
import { AttachedFile } from './parts/attached-file.tsx';
import { Reasoning } from './parts/reasoning.tsx';
import { ReferenceView } from './parts/reference-view.tsx';
import { Sources } from './parts/sources.tsx';
import { Start } from './parts/start.tsx';
import { TurnEnd } from './parts/turn-end.tsx';
import { UserMessage } from './parts/user-message.tsx';
import { Tail } from './notices/tail.tsx';
import type { Row } from './rows/row.ts';
import { Explored } from './tools/explored.tsx';
import { ProviderCall } from './tools/provider-call.tsx';
import { ToolCard } from './tools/tool-card.tsx';
import type { ToolView } from './tools/tool-view.ts';
import './timeline.css';

interface RowContentProps {
  readonly row: Row;
  readonly chatId: string;
  readonly store: ChatStore;
}

export function RowContent({ row, chatId, store }: RowContentProps) {
  switch (row.kind) {
    case 'start':
      return <Start store={store} />;
    case 'day':
      return <DayMark time={row.time} />;
    case 'user':
      return <UserMessage message={row.message} chatId={chatId} store={store} />;
    case 'text':
      return <BlockGroupView group={row.group} stream={row.stream} />;
    case 'reasoning':
      return <Reasoning piece={row.piece} folds={store.folds} />;
    case 'tool':
      return <Call callId={row.callId} chatId={chatId} store={store} />;
    case 'explored':
      return <Explored callIds={row.callIds} chatId={chatId} store={store} />;
    case 'sources':
      return <Sources rowKey={row.key} sources={row.sources} folds={store.folds} />;
    case 'file':
      return <AttachedFile part={row.part} />;
    case 'reference':
      return <ReferenceView part={row.part} />;
    case 'cut-off':
      return <CutOff reason={row.reason} messageId={row.messageId} store={store} />;
    case 'turn-end':
      return <TurnEnd turn={row.turn} chatId={chatId} store={store} />;
    case 'tail':
      return <Tail chatId={chatId} store={store} />;
  }
}

function Call({
  callId,
  chatId,
  store,
}: {
  readonly callId: string;
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const view = store.tools.view(callId);
  if (view === undefined) return null;
  return <Card view={view} chatId={chatId} store={store} />;
}

function Card({
  view,
  chatId,
  store,
}: {
  readonly view: { get(): ToolView; subscribe(listener: () => void): () => void };
  readonly chatId: string;
  readonly store: ChatStore;
}) {
  const shown = useCell(view);
  if (shown.call.tool_name === SUMMARY_TOOL) return <Compaction view={shown} />;
  if (shown.call.provider_executed === true) {
    return <ProviderCall view={shown} chatId={chatId} store={store} />;
  }
  return <ToolCard view={shown} chatId={chatId} store={store} />;
}
