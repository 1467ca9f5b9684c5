import { Popover } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from '../../ui/class-names.ts';
import type { Suggestions } from './suggestion.ts';

export const LIST_ID = 'composer-suggestions';
export const optionId = (index: number): string => `${LIST_ID}-${index}`;

/** The list above the composer. The focus stays in the text; Enter takes the `active` item. */
export function SuggestionList({
  label,
  suggestions,
  active,
  onActive,
  onTake,
  children,
}: {
  /** Undefined while there are no suggestions. */
  readonly label: string | undefined;
  readonly suggestions: Suggestions;
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onTake: (index: number) => void;
  /** The element below it. */
  readonly children: ReactNode;
}) {
  const { list, note } = suggestions;
  return (
    <Popover.Root open={label !== undefined && (list.length > 0 || note !== undefined)}>
      <Popover.Anchor asChild>{children}</Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          role="presentation"
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="z-40 max-h-[min(20rem,var(--radix-popover-content-available-height))] w-(--radix-popover-trigger-width) overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop"
        >
          <div id={LIST_ID} role="listbox" aria-label={label ?? ''}>
            {list.map((suggestion, index) => (
              <Option
                key={suggestion.key}
                index={index}
                selected={index === active}
                onActive={onActive}
                onTake={onTake}
              >
                <span className="shrink-0 text-muted [&_svg]:size-4">{suggestion.icon}</span>
                <span className="shrink-0 truncate font-medium max-sm:max-w-[60%]">
                  {suggestion.title}
                </span>
                <span className="min-w-0 flex-1 truncate text-sm text-muted">
                  {suggestion.about}
                </span>
              </Option>
            ))}
          </div>
          {note !== undefined && <p className="px-2 py-1.5 text-sm text-muted">{note}</p>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Option({
  index,
  selected,
  onActive,
  onTake,
  children,
}: {
  readonly index: number;
  readonly selected: boolean;
  readonly onActive: (index: number) => void;
  readonly onTake: (index: number) => void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    // The text keeps the focus and handles keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={optionId(index)}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      onPointerMove={() => onActive(index)}
      // Otherwise the text would lose the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onTake(index)}
      className={cx(
        'flex min-h-9 cursor-default items-center gap-2 rounded-md px-2 py-1 select-none pointer-coarse:min-h-11',
        selected && 'bg-selected',
      )}
    >
      {children}
    </div>
  );
}
