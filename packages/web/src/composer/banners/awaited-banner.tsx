import type { AwaitedCall } from '@chatd/protocol';
import { ArrowUp, CircleHelp, Hourglass, ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { counted } from '../../format/number.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { commands } from '../../state/commands.ts';
import { GO_TO_REQUEST } from '../../timeline/jump.ts';
import { Banner } from './banner.tsx';

/** The call that a typed text answers; undefined when there is none or more than one. */
export function questionOf(awaited: readonly AwaitedCall[]): AwaitedCall | undefined {
  const questions = awaited.filter(({ kind }) => kind === 'question');
  return questions.length === 1 ? questions[0] : undefined;
}

/** Counts what the agent waits for. The cards in the timeline ask. */
export function AwaitedBanner({ store }: { readonly store: ChatStore }) {
  const awaited = useCell(store.awaited);
  if (awaited.length === 0) return null;
  const approvals = awaited.filter(({ kind }) => kind === 'approval');
  const questions = awaited.filter(({ kind }) => kind === 'question');
  const parts = [
    ...(approvals.length > 0 ? [counted(approvals.length, 'approval')] : []),
    ...(questions.length > 0 ? [counted(questions.length, 'question')] : []),
  ];
  if (parts.length === 0) {
    return (
      <Banner kind="info" icon={<Hourglass />} live="status">
        Waiting for your client to run {awaited.map(({ tool_name }) => tool_name).join(', ')}.
        Interrupting cancels the call.
      </Banner>
    );
  }
  return (
    <Counter
      icon={approvals.length > 0 ? <ShieldQuestion /> : <CircleHelp />}
      words={parts.join(', ')}
    />
  );
}

function Counter({ icon, words }: { readonly icon: ReactNode; readonly words: string }) {
  return (
    <div role="status" className="flex">
      <button
        type="button"
        aria-label={`Go to ${words}`}
        onClick={() =>
          commands
            .get()
            .find(({ id }) => id === GO_TO_REQUEST)
            ?.run()
        }
        className="flex h-8 items-center gap-2 rounded-full bg-warn-surface px-3 text-sm font-medium text-warn hover:underline pointer-coarse:h-11 [&_svg]:size-4"
      >
        {icon}
        {words}
        <ArrowUp aria-hidden />
      </button>
    </div>
  );
}
