import type { Chat } from '@chatd/protocol';
import { useDeferredCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { cx } from '../ui/class-names.ts';
import { Hint } from '../ui/hint.tsx';
import { tokenCount } from '../format/money.ts';
import { contextUse } from './context-use.ts';
import { useModelConfig } from './model-config.ts';

/** The context usage, with a mark at the compaction threshold. */
export function ContextMeter({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const model = useModelConfig(chat.model_config_id);
  const use = contextUse(useDeferredCell(store.messages), model?.context_limit);
  if (use === undefined) return null;
  const percent = Math.min(100, Math.round((use.used / use.limit) * 100));
  const threshold = model?.compaction_threshold ?? 100;
  const summarized = threshold < 100;
  const words = `${percent}% of the context used, ${tokenCount(use.used)} of ${tokenCount(use.limit)} tokens${summarized ? `; the history is summarized at ${threshold}%` : ''}`;
  return (
    <Hint text={words}>
      <button
        type="button"
        data-dense=""
        aria-label={`Context: ${words}`}
        className="flex h-6 cursor-default items-center gap-1.5 rounded px-1 text-xs text-muted"
      >
        <span className="relative h-1.5 w-16 overflow-hidden rounded-full bg-line">
          <span
            className={cx(
              'absolute inset-y-0 left-0 rounded-full',
              summarized && percent >= threshold ? 'bg-warn' : 'bg-muted',
            )}
            style={{ width: `${percent}%` }}
          />
          {summarized && (
            <span className="absolute inset-y-0 w-0.5 bg-text" style={{ left: `${threshold}%` }} />
          )}
        </span>
        {percent}%
      </button>
    </Hint>
  );
}
