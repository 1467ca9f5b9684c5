import type { ReactNode } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { useHasOtherAuthors } from '../../sharing/authors.tsx';
import { DENIED } from '../../state/chat/tool-calls.ts';
import { Approval } from './approval.tsx';
import { BoundedText } from './bounded-text.tsx';
import { ToolFrame } from './tool-frame.tsx';
import { toolKindOf } from './tool-kinds.ts';
import { Media } from './media.tsx';
import { phrase } from './phrase.ts';
import { resultText, waitedForMachine } from './read-view.ts';
import type { ToolCardProps, ToolState } from './tool-view.ts';

/** States that are shown as cards, whatever the tool. */
const CARDS: ReadonlySet<ToolState> = new Set(['awaiting', 'approved', 'failed', 'denied']);

/** A call, by tool name: a card while it needs attention, a line otherwise. */
export function ToolCard(props: ToolCardProps) {
  const { view, store } = props;
  const { state } = view;
  const isShared = useHasOtherAuthors();
  const kind = toolKindOf(view.call.tool_name);
  const { icon, verb, about, aside, Action, Body, hasBody, open, untimed = false } = kind;
  const failed = state === 'failed';
  // A command that ran has no error, but it may have failed.
  const phrased = failed && view.result?.is_error !== true ? 'done' : state;
  const shown =
    state !== 'denied' && Body !== undefined && (hasBody?.(view) ?? view.result !== undefined);
  const needsApproval = state === 'awaiting' && view.awaited?.kind === 'approval';
  const reason = state === 'denied' ? reasonOf(resultText(view)) : '';
  return (
    <div
      className={
        needsApproval
          ? 'my-1 overflow-hidden rounded-xl border border-warn [&>section]:my-0 [&>section]:rounded-none [&>section]:border-0'
          : ''
      }
    >
      <ToolFrame
        folds={store.folds}
        view={view}
        card={kind.card === true || CARDS.has(state)}
        icon={icon}
        title={
          <>
            {phrase(phrased, verb)} {about?.(view)}
          </>
        }
        aside={
          <>
            <WaitingForMachine view={view} />
            {decidedIn(state, isShared) ?? aside?.(view)}
          </>
        }
        untimed={untimed}
        {...(Action && { action: <Action {...props} /> })}
        open={failed || needsApproval || reason !== '' || (open?.(view) ?? false)}
      >
        {reason !== '' ? (
          <p className="px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
            <span className="text-muted">Reason:</span> {safeText(reason)}
          </p>
        ) : (
          (shown || failed || view.result?.is_media === true) && (
            <>
              {shown ? <Body {...props} /> : failed && <BoundedText text={resultText(view)} />}
              <Media view={view} />
            </>
          )
        )}
      </ToolFrame>
      {needsApproval && <Approval {...props} />}
    </div>
  );
}

function decidedIn(state: ToolState, isShared: boolean): ReactNode {
  if (state !== 'approved' && state !== 'denied') return undefined;
  const denied = isShared ? 'Denied' : 'Denied by you';
  return (
    <span className="shrink-0 text-muted">
      {state === 'denied' ? denied : 'Approved, waiting for the others'}
    </span>
  );
}

const reasonOf = (text: string): string =>
  text.startsWith(DENIED) ? text.slice(DENIED.length).replace(/^ Reason: /, '') : '';

function WaitingForMachine({ view }: Pick<ToolCardProps, 'view'>) {
  const machine = view.state === 'running' ? waitedForMachine(view) : undefined;
  if (machine === undefined) return null;
  return (
    <span role="status" className="min-w-0 truncate text-warn">
      waiting for machine {machine}
    </span>
  );
}
