import type { ToolCallPart } from '@chatd/protocol';
import { type ProviderActivity, providerActivity, resultCount } from '@chatd/protocol/presentation';
import { CircleAlert, FileText, Globe, Terminal, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { cx } from '../../ui/class-names.ts';
import { Fold } from '../parts/fold.tsx';
import { PageList } from '../parts/page-list.tsx';
import { CallFields } from './cards/other.tsx';
import { partialObject } from './partial-json.ts';
import { phrase } from './phrase.ts';
import { plain, resultField, resultText } from './read-view.ts';
import type { ToolCardProps, ToolView } from './tool-view.ts';

const LOOKS: Record<ProviderActivity['kind'], { icon: ReactNode; label: string }> = {
  search: { icon: <Globe />, label: 'Web search' },
  page: { icon: <FileText />, label: 'Web page' },
  code: { icon: <Terminal />, label: 'Code execution' },
  tool: { icon: <Wrench />, label: 'Provider tool' },
};

/** A call that the provider executed: one collapsible line with its results. */
export function ProviderCall({ view, store }: ToolCardProps) {
  const { call, state } = view;
  const activity = providerActivity(readCall(call), view.result);
  const { icon, label } = LOOKS[activity.kind];
  const count = resultCount(activity);
  const running = state === 'writing' || state === 'running';
  return (
    <Fold
      label={label}
      folds={store.folds}
      foldKey={call.tool_call_id}
      icon={
        state === 'failed' ? (
          <CircleAlert className="text-bad" />
        ) : (
          <span className={cx(running && 'animate-pulse')}>{icon}</span>
        )
      }
      title={`${phrase(state, activity.verb)} ${safeText(activity.about)}`.trim()}
      aside={count !== '' && <span className="shrink-0">· {count}</span>}
    >
      {found(view, activity)}
    </Fold>
  );
}

/** The query is shown while the model writes it. */
const readCall = (call: ToolCallPart): ToolCallPart =>
  call.args === undefined ? { ...call, args: partialObject(call.args_delta ?? '') } : call;

/** Undefined: nothing to expand. */
function found(view: ToolView, { kind, results = [], page }: ProviderActivity): ReactNode {
  if (view.result === undefined) return undefined;
  if (kind === 'code' || kind === 'tool') return <CallFields view={view} />;
  if (view.state === 'failed') return <p className="wrap-anywhere">{safeText(failure(view))}</p>;
  const pages = page === undefined ? results : [page];
  if (pages.length === 0) return undefined;
  return <PageList label={page === undefined ? 'Results' : 'Page'} pages={pages} />;
}

/** Anthropic reports the cause as a code, such as `max_uses_exceeded`. */
function failure(view: ToolView): string {
  const code = plain(resultField(view, 'errorCode'));
  return code === '' ? resultText(view) : `The search failed: ${code.replaceAll('_', ' ')}.`;
}
