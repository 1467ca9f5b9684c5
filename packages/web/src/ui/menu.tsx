import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Keys } from './keys.tsx';

const ITEM =
  'flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0';

export function Menu({
  trigger,
  children,
  align = 'start',
}: {
  /** A button. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem(props: MenuItemProps) {
  const { icon, keys, danger = false, disabled = false, onSelect, children } = props;
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(ITEM, danger && 'text-bad')}
    >
      {icon}
      <span className="flex-1">{children}</span>
      {keys !== undefined && <Keys keys={keys} />}
    </DropdownMenu.Item>
  );
}

export function MenuChoices<T extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly choices: readonly { readonly value: T; readonly label: ReactNode }[];
}) {
  return (
    <DropdownMenu.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(next) => onChange(next as T)}
    >
      <DropdownMenu.Label className="px-2 py-1 text-sm text-muted">{label}</DropdownMenu.Label>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem key={choice.value} value={choice.value} className={ITEM}>
          <span className="size-4">
            <DropdownMenu.ItemIndicator>
              <Check />
            </DropdownMenu.ItemIndicator>
          </span>
          <span className="flex-1">{choice.label}</span>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
