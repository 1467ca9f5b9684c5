import type { ComponentProps, ReactNode } from 'react';
import { TextField } from '../../ui/field.tsx';
import { type Choice, SelectField } from '../../ui/select.tsx';
import { SwitchField } from '../../ui/switch.tsx';
import { TextAreaField } from '../../ui/text-area.tsx';
import type { Form } from './use-form.ts';

/** The names of the fields with this type of value. */
type NamesOf<Values, T> = {
  [Name in keyof Values]-?: Values[Name] extends T ? Name : never;
}[keyof Values] &
  string;

interface Bound<Values extends object, T> {
  readonly form: Form<Values>;
  readonly name: NamesOf<Values, T>;
  readonly label: string;
  readonly help?: ReactNode;
  /** The server's path of the field, if different from its name. */
  readonly path?: string;
}

const textOf = <Values extends object>(form: Form<Values>, name: NamesOf<Values, string>) =>
  form.values[name] as string;
const changeOf = <Values extends object>(name: string, value: unknown) =>
  ({ [name]: value }) as unknown as Partial<Values>;

export function FormText<Values extends object>({
  form,
  name,
  path = name,
  ...props
}: Bound<Values, string> & Omit<ComponentProps<'input'>, 'form' | 'name'>) {
  return (
    <TextField
      autoComplete="off"
      {...props}
      value={textOf(form, name)}
      error={form.errorAt(path)}
      onChange={(event) => form.set(changeOf<Values>(name, event.target.value))}
    />
  );
}

/** A number as text: invalid input is reported on save instead of being dropped while typing. */
export const FormNumber = <Values extends object>(
  props: Bound<Values, string> & Omit<ComponentProps<'input'>, 'form' | 'name'>,
) => <FormText inputMode="decimal" {...props} />;

export function FormArea<Values extends object>({
  form,
  name,
  path = name,
  ...props
}: Bound<Values, string> &
  Omit<ComponentProps<'textarea'>, 'form' | 'name'> & { readonly code?: boolean }) {
  return (
    <TextAreaField
      {...props}
      value={textOf(form, name)}
      error={form.errorAt(path)}
      onChange={(event) => form.set(changeOf<Values>(name, event.target.value))}
    />
  );
}

export function FormSelect<Values extends object>({
  form,
  name,
  path = name,
  ...props
}: Bound<Values, string> & {
  readonly choices: readonly Choice[];
  readonly disabled?: boolean;
}) {
  return (
    <SelectField
      {...props}
      value={textOf(form, name)}
      error={form.errorAt(path)}
      onChange={(event) => form.set(changeOf<Values>(name, event.target.value))}
    />
  );
}

export function FormSwitch<Values extends object>({
  form,
  name,
  path = name,
  ...props
}: Bound<Values, boolean> & { readonly disabled?: boolean }) {
  return (
    <SwitchField
      {...props}
      checked={form.values[name] as boolean}
      error={form.errorAt(path)}
      onChange={(on) => form.set(changeOf<Values>(name, on))}
    />
  );
}
