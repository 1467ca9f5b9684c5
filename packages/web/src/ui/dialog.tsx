import { X } from 'lucide-react';
import { Dialog as Base } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

export interface DialogProps {
  readonly title: string;
  readonly description?: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
  /** Buttons, aligned to the end. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Without focusable content, the dialog itself takes the focus, so that keys scroll it. */
  readonly text?: boolean;
}

export function Dialog(props: DialogProps) {
  const {
    title,
    description,
    open,
    onOpenChange,
    children,
    actions,
    wide = false,
    text = false,
  } = props;
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Overlay className="fade fixed inset-0 z-40 bg-black/45" />
        <Base.Content
          onOpenAutoFocus={focusOnWhatItIsFor}
          {...(description === undefined && { 'aria-describedby': undefined })}
          className={cx(
            'pop fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-2xl border border-line bg-raised shadow-pop',
            wide ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-2">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close asChild>
              <IconButton label="Close" size="small">
                <X />
              </IconButton>
            </Base.Close>
          </header>
          <div
            {...(text && { role: 'group', 'aria-label': title, tabIndex: 0 })}
            className="min-h-0 flex-1 overflow-y-auto px-5 pb-4 outline-none"
          >
            {children}
          </div>
          {actions !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {actions}
            </footer>
          )}
        </Base.Content>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Focuses the first field, or the dialog itself: a focused close button would show its tooltip, and Escape would close
 * only that.
 */
function focusOnWhatItIsFor(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const field = event.currentTarget.querySelector<HTMLElement>(
    'input:enabled, textarea:enabled, select:enabled, [role="group"][tabindex="0"]',
  );
  (field ?? event.currentTarget).focus();
}
