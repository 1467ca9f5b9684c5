import { Ban, Check, CircleAlert, Hand, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { Spinner } from '../../ui/spinner.tsx';
import type { ToolState } from './tool-view.ts';

const MARKS: Record<ToolState, { readonly icon: ReactNode; readonly words: string }> = {
  writing: { icon: <Spinner />, words: 'writing' },
  running: { icon: <Spinner />, words: 'running' },
  awaiting: { icon: <Hand className="size-4 text-warn" />, words: 'needs your input' },
  approved: { icon: <Hourglass className="size-4 text-muted" />, words: 'approved' },
  done: { icon: <Check className="size-4 text-good" />, words: 'done' },
  failed: { icon: <CircleAlert className="size-4 text-bad" />, words: 'failed' },
  denied: { icon: <Ban className="size-4 text-muted" />, words: 'denied' },
  interrupted: { icon: <Ban className="size-4 text-muted" />, words: 'interrupted' },
};

/** A distinct icon for each state, with text for screen readers. */
export function StateMark({ state }: { readonly state: ToolState }) {
  const { icon, words } = MARKS[state];
  return (
    <span className="inline-flex shrink-0 items-center">
      {icon}
      <span className="sr-only">{words}</span>
    </span>
  );
}
