import type { DesktopNotice } from '@chatd/protocol';
import { Expand, ExternalLink, Hand, Scan, Undo2 } from 'lucide-react';
import type { RefObject } from 'react';
import { useCanEdit } from '../state/access.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

export interface DesktopBarProps {
  readonly status: DesktopNotice | undefined;
  readonly fit: boolean;
  readonly control: RefObject<HTMLButtonElement | null>;
  readonly onTake: () => void;
  readonly onGiveBack: () => void;
  readonly onFit: () => void;
  readonly onFullScreen: () => void;
  /** Omitted in a separate window. */
  readonly onPopOut?: (() => void) | undefined;
}

/** Shows who has control and lets the user take or release it. */
export function DesktopBar(props: DesktopBarProps) {
  const { status, fit, control, onPopOut } = props;
  const mine = status?.yours === true;
  const canEdit = useCanEdit();
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
      <p role="status" aria-live="polite" className="min-w-0 flex-1 text-sm text-muted">
        {status === undefined ? 'Connecting…' : whoControls(status)}
      </p>
      {canEdit && (
        <Button
          ref={control}
          size="small"
          kind={mine ? 'primary' : 'plain'}
          disabled={status === undefined}
          onClick={mine ? props.onGiveBack : props.onTake}
        >
          {mine ? (
            <Undo2 aria-hidden className="size-4" />
          ) : (
            <Hand aria-hidden className="size-4" />
          )}
          {mine ? 'Release control' : 'Take control'}
        </Button>
      )}
      <IconButton label="Zoom to fit" size="small" aria-pressed={fit} onClick={props.onFit}>
        <Scan />
      </IconButton>
      <IconButton label="Enter full screen" size="small" onClick={props.onFullScreen}>
        <Expand />
      </IconButton>
      {onPopOut !== undefined && (
        <IconButton label="Open in new window" size="small" onClick={onPopOut}>
          <ExternalLink />
        </IconButton>
      )}
    </div>
  );
}

function whoControls({ controller, yours, agent_waits, viewers }: DesktopNotice): string {
  const others = viewers > 1 ? ` ${viewers} viewers.` : '';
  if (controller === 'agent') return `The agent has control.${others}`;
  const who = yours ? 'You have control.' : 'Another window has control.';
  return `${who}${agent_waits ? ' The agent is waiting.' : ''}${others}`;
}
