import type { BusyBehavior } from '@chatd/protocol';
import {
  ArrowUp,
  Check,
  ChevronDown,
  CornerDownRight,
  ListEnd,
  MessageCircleReply,
  OctagonX,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useCell } from '../../state/cell.ts';
import { cx } from '../../ui/class-names.ts';
import { Hint } from '../../ui/hint.tsx';
import { Menu, MenuCheck, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { prefer, preferences } from '../preferences.ts';
import { TOOL } from '../tool-style.ts';
import type { SendMode } from './mode.ts';
import { SEND_KEYS } from './send-keys.ts';

interface Mode {
  readonly label: string;
  readonly icon: ReactNode;
  readonly about?: string;
}

const MODES: Record<SendMode, Mode> = {
  send: { label: 'Send', icon: <ArrowUp /> },
  queue: { label: 'Queue', icon: <ListEnd /> },
  answer: { label: 'Send', icon: <MessageCircleReply />, about: 'Send as answer' },
  save: { label: 'Save', icon: <Check /> },
};

const WAYS: readonly {
  readonly behavior: BusyBehavior;
  readonly title: string;
  readonly icon: ReactNode;
  readonly busy: string;
  /** While the agent waits for an answer. */
  readonly awaiting: string;
}[] = [
  {
    behavior: 'queue',
    title: 'Queue',
    icon: <ListEnd />,
    busy: 'Sends after this turn ends.',
    awaiting: 'Sends after the turn ends, after your answer.',
  },
  {
    behavior: 'steer',
    title: 'Steer',
    icon: <CornerDownRight />,
    busy: 'Adds the message before the next model call. Nothing is canceled.',
    awaiting: 'Adds the message together with your answer.',
  },
  {
    behavior: 'interrupt',
    title: 'Interrupt',
    icon: <OctagonX />,
    busy: 'Stops the turn, keeps its results, and continues with this message.',
    awaiting: 'Cancels the question and continues with this message.',
  },
];

export interface SendButtonProps {
  readonly mode: SendMode;
  /** Whether other ways to send can be chosen. */
  readonly ways: boolean;
  readonly awaiting: boolean;
  readonly pending: boolean;
  /** Why it cannot be sent now. */
  readonly disabled: string | undefined;
  readonly onSend: (behavior: BusyBehavior | undefined) => void;
  readonly onClosed: () => void;
}

/** A round button of the same size in every mode, so that nothing moves. */
export function SendButton(props: SendButtonProps) {
  const { mode, ways, pending, disabled, onSend } = props;
  const { sendWith } = useCell(preferences);
  const { label, icon, about = label } = MODES[mode];
  return (
    <>
      {ways && <Ways {...props} />}
      <Hint
        text={disabled ?? about}
        {...(disabled === undefined && { keys: SEND_KEYS[sendWith].queue })}
      >
        <button
          type="button"
          aria-label={label}
          aria-disabled={disabled !== undefined || pending}
          aria-describedby={disabled === undefined ? undefined : 'composer-not-yet'}
          className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent text-on-accent transition-colors hover:bg-accent-hover aria-disabled:bg-hover aria-disabled:text-muted pointer-coarse:size-11 [&_svg]:size-4.5"
          onClick={() => {
            if (disabled === undefined && !pending) onSend(undefined);
          }}
        >
          {pending ? <Spinner className="border-current border-t-transparent" /> : icon}
        </button>
      </Hint>
    </>
  );
}

function Ways({ awaiting, disabled, pending, onSend, onClosed }: SendButtonProps) {
  const { sendWith } = useCell(preferences);
  return (
    <Menu
      align="end"
      onClosed={onClosed}
      trigger={
        <button type="button" aria-label="More send options" className={cx(TOOL, 'shrink-0')}>
          <ChevronDown aria-hidden />
        </button>
      }
    >
      <div className="w-[min(22rem,calc(100vw-2rem))]">
        {WAYS.map(({ behavior, title, icon, ...about }) => (
          <MenuItem
            key={behavior}
            icon={icon}
            keys={SEND_KEYS[sendWith][behavior]}
            disabled={disabled !== undefined || pending}
            onSelect={() => onSend(behavior)}
          >
            <span className="block font-medium">{title}</span>
            <span className="block text-sm text-muted">
              {awaiting ? about.awaiting : about.busy}
            </span>
          </MenuItem>
        ))}
        {disabled !== undefined && <p className="px-2 py-1 text-sm text-warn">{disabled}</p>}
        <MenuLine />
        <MenuCheck
          checked={sendWith === 'mod+enter'}
          onChange={(on) => prefer({ sendWith: on ? 'mod+enter' : 'enter' })}
        >
          Send with Ctrl or ⌘ and Enter; Enter inserts a new line
        </MenuCheck>
      </div>
    </Menu>
  );
}
