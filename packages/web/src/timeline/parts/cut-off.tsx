import { CircleStop } from 'lucide-react';
import { useDeferredCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { Row } from '../rows/row.ts';

type Reason = Extract<Row, { kind: 'cut-off' }>['reason'];

/** What happened, and what to do about it while it is the end of the chat. */
const WORDS: Readonly<Record<Reason, readonly [what: string, advice: string]>> = {
  interrupted: ['Interrupted.', 'Send a message to continue.'],
  length: [
    'Cut off at the model’s output limit.',
    'Ask the agent to continue, or raise the limit.',
  ],
  'content-filter': ['Cut off by the provider’s content filter.', 'Try rephrasing the message.'],
};

export function CutOff({
  reason,
  messageId,
  store,
}: {
  readonly reason: Reason;
  readonly messageId: number;
  readonly store: ChatStore;
}) {
  const last = useDeferredCell(store.messages).findLast(({ role }) => role !== 'tool');
  const [what, advice] = WORDS[reason];
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <CircleStop aria-hidden className="mt-0.5 size-4 shrink-0" />
      {last === undefined || last.id <= messageId ? `${what} ${advice}` : what}
    </p>
  );
}
