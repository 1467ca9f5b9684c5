import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { FormContext } from './fields.tsx';
import type { Form } from './use-form.ts';

export function SettingsForm<Values extends object>({
  form,
  label,
  action = 'Save',
  evenUnchanged = false,
  onCancel,
  inline = onCancel !== undefined || evenUnchanged,
  extra,
  children,
}: {
  readonly form: Form<Values>;
  /** The accessible name of the form. */
  readonly label: string;
  readonly action?: string;
  /** A new item can be saved with its defaults. */
  readonly evenUnchanged?: boolean;
  readonly onCancel?: () => void;
  /** Part of a page, a dialog or a step. The buttons of other forms stay at the bottom of the page. */
  readonly inline?: boolean;
  /** Beside the buttons. */
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLFormElement>(null);
  const { faults } = form;
  // Scrolls to and focuses the first invalid field.
  useEffect(() => {
    if (faults === 0) return;
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);
  const guarded = !evenUnchanged && onCancel === undefined;
  return (
    <form
      ref={element}
      aria-label={label}
      noValidate
      onSubmit={form.submit}
      className="flex flex-col gap-5"
    >
      <FormContext value={form}>{children}</FormContext>
      {form.problem !== undefined && (
        <Notice kind="bad" live title="Not saved">
          {form.problem}
        </Notice>
      )}
      <div
        className={cx(
          'flex flex-wrap items-center gap-2',
          !inline &&
            'sticky bottom-0 z-10 -mx-4 border-t border-line bg-background px-4 py-3 md:-mx-8 md:px-8',
        )}
      >
        <Button
          type="submit"
          kind="primary"
          disabled={form.saving || !(form.changed || evenUnchanged)}
        >
          {form.saving && <Spinner />}
          {action}
        </Button>
        {onCancel !== undefined && (
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        {guarded && form.changed && (
          <Button kind="quiet" onClick={form.reset}>
            Discard changes
          </Button>
        )}
        {extra}
        <span role="status" className="text-sm text-muted">
          {form.saving && 'Saving…'}
          {!form.saving && form.saved && 'Saved'}
          {!form.saving && guarded && form.changed && 'Unsaved changes'}
        </span>
      </div>
    </form>
  );
}
