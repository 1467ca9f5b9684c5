import { ClipboardList } from 'lucide-react';
import { Hint } from '../../ui/hint.tsx';
import { TOOL } from '../tool-style.ts';

export const PLAN_KEYS = 'mod+shift+l';

/** Whether the agent only looks and proposes a plan, until the person has accepted it. */
export function PlanToggle({
  on,
  onChange,
}: {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <Hint
      text={
        on
          ? 'Plan mode: it looks and asks, changes nothing, and proposes a plan that you accept. Click to end it.'
          : 'Plan first: it looks and asks, changes nothing, and proposes a plan that you accept.'
      }
      keys={PLAN_KEYS}
    >
      <button
        type="button"
        aria-label="Plan mode"
        aria-pressed={on}
        className={TOOL}
        onClick={() => onChange(!on)}
      >
        <ClipboardList aria-hidden />
        <span className="max-sm:hidden">Plan</span>
      </button>
    </Hint>
  );
}
