import { Approval } from './approval.tsx';
import { BoundedText } from './bounded-text.tsx';
import { ToolFrame } from './tool-frame.tsx';
import { toolKindOf } from './tool-kinds.ts';
import { Media } from './media.tsx';
import { phrase } from './phrase.ts';
import { resultText, waitedForMachine } from './read-view.ts';
import type { ToolCardProps } from './tool-view.ts';

/** The card for a call, by tool name. */
export function ToolCard(props: ToolCardProps) {
  const { view, store } = props;
  const { icon, verb, about, aside, Action, Body, hasBody, open } = toolKindOf(view.call.tool_name);
  const failed = view.state === 'failed';
  const shown = Body !== undefined && (hasBody?.(view) ?? view.result !== undefined);
  const needsApproval = view.state === 'awaiting' && view.awaited?.kind === 'approval';
  return (
    <div
      className={
        needsApproval
          ? 'overflow-hidden rounded-xl border border-warn [&>section]:rounded-none [&>section]:border-0'
          : ''
      }
    >
      <ToolFrame
        folds={store.folds}
        view={view}
        icon={icon}
        title={
          <>
            {phrase(view.state, verb)} {about?.(view)}
          </>
        }
        aside={
          <>
            <WaitingForMachine view={view} />
            {aside?.(view)}
          </>
        }
        {...(Action && { action: <Action {...props} /> })}
        open={failed || needsApproval || (open?.(view) ?? false)}
      >
        {(shown || failed || view.result?.is_media === true) && (
          <>
            {shown ? <Body {...props} /> : failed && <BoundedText text={resultText(view)} />}
            <Media view={view} />
          </>
        )}
      </ToolFrame>
      {needsApproval && <Approval {...props} />}
    </div>
  );
}

function WaitingForMachine({ view }: Pick<ToolCardProps, 'view'>) {
  const machine = view.state === 'running' ? waitedForMachine(view) : undefined;
  if (machine === undefined) return null;
  return (
    <span role="status" className="min-w-0 truncate text-warn">
      waiting for machine {machine}
    </span>
  );
}
