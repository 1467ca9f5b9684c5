import { FoldVertical } from 'lucide-react';
import { safeText } from '../../markdown/safe-text.ts';
import { tokenCount } from '../../ui/money.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { isObject, resultText } from '../tools/read-view.ts';
import type { ToolView } from '../tools/tool-view.ts';

/** The name of the call that stands where a history was summarised. */
export const SUMMARY_TOOL = 'chat_summarized';

/** From here on the model reads a summary; people still read everything. */
export function Compaction({ view }: { readonly view: ToolView }) {
  const words = wordsFor(view);
  return (
    <section
      aria-label="Summary of the history"
      className="flex items-center gap-3 py-2 text-xs text-muted"
    >
      <span aria-hidden className="h-px flex-1 bg-line" />
      {view.state === 'running' || view.state === 'writing' ? (
        <Spinner />
      ) : (
        <FoldVertical aria-hidden className="size-4 shrink-0" />
      )}
      <span className="max-w-[75%] wrap-anywhere">{words}</span>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </section>
  );
}

function wordsFor(view: ToolView): string {
  const { state, call, result } = view;
  const asked = isObject(call.args) && call.args['source'] === 'manual';
  if (state === 'failed') {
    return `The history could not be summarised: ${safeText(resultText(view))}`;
  }
  if (state === 'interrupted') return 'Summarising the history was interrupted';
  if (state !== 'done') return 'Summarising the history, so that there is room to go on';
  const told = isObject(result?.result) ? result.result : {};
  const { used_tokens: used, context_limit: limit } = told;
  const room =
    typeof used === 'number' && typeof limit === 'number'
      ? ` at ${tokenCount(used)} of ${tokenCount(limit)} tokens`
      : '';
  return `${asked ? 'Summarised on request' : 'Summarised'}${room}. The model goes on from the summary; you can still read all of it.`;
}
