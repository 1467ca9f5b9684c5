import { FoldVertical } from 'lucide-react';
import { safeText } from '../../markdown/safe-text.ts';
import { tokenCount } from '../../format/money.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { isObject, resultText } from '../tools/read-view.ts';
import type { ToolView } from '../tools/tool-view.ts';

/** The synthetic call that marks a compaction. */
export const SUMMARY_TOOL = 'chat_summarized';

/** The model reads a summary from here on; the user still sees all messages. */
export function Compaction({ view }: { readonly view: ToolView }) {
  const words = wordsFor(view);
  return (
    <section
      aria-label="History summary"
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
  const isManual = isObject(call.args) && call.args['source'] === 'manual';
  if (state === 'failed') {
    return `Summarizing the history failed: ${safeText(resultText(view))}`;
  }
  if (state === 'interrupted') return 'Summarizing the history was interrupted';
  if (state !== 'done') return 'Summarizing the history to free up context';
  const usage = isObject(result?.result) ? result.result : {};
  const { used_tokens: used, context_limit: limit } = usage;
  const room =
    typeof used === 'number' && typeof limit === 'number'
      ? ` at ${tokenCount(used)} of ${tokenCount(limit)} tokens`
      : '';
  return `${isManual ? 'Summarized on request' : 'Summarized'}${room}. The model continues from the summary; you still see the full history.`;
}
