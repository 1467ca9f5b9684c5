import { ClipboardList } from 'lucide-react';
import { Hint } from '../../ui/hint.tsx';
import { TOOL } from '../tool-style.ts';

export const PLAN_KEYS = 'mod+shift+l';

/** In plan mode the agent is read-only until the user accepts its plan. */
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
          ? 'Plan mode: the agent is read-only until you accept its plan. Click to turn it off.'
          : 'Plan first: the agent is read-only until you accept its plan.'
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
