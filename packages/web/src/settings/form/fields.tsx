import { type ComponentProps, createContext, type ReactNode, useContext } from 'react';
import { TextField } from '../../ui/field.tsx';
import { type Choice, SelectField } from '../../ui/select.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextAreaField } from '../../ui/text-area.tsx';

/** The names of the fields with this type of value. */
type NamesOf<Values, T> = {
  [Name in keyof Values]-?: Values[Name] extends T ? Name : never;
}[keyof Values] &
  string;

interface FieldProps<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly help?: ReactNode;
  /** The server's path of the field, if different from its name. */
  readonly path?: string;
}

type Field<Values, T, Props> = (
  props: FieldProps<NamesOf<Values, T>> & Omit<Props, 'form' | keyof FieldProps<string>>,
) => ReactNode;

type AreaProps = ComponentProps<'textarea'> & { readonly code?: boolean };
interface SelectProps {
  readonly choices: readonly Choice[];
  readonly disabled?: boolean;
}

/** Fields of a form with these values. They find the form in the context that `SettingsForm` provides. */
export interface Fields<Values extends object> {
  readonly Text: Field<Values, string, ComponentProps<'input'>>;
  /** A number as text: invalid input is reported on save instead of being dropped while typing. */
  readonly Number: Field<Values, string, ComponentProps<'input'>>;
  readonly Area: Field<Values, string, AreaProps>;
  readonly Select: Field<Values, string, SelectProps>;
  /** Saved with the form. Switches are saved at once. */
  readonly Check: Field<Values, boolean, { readonly disabled?: boolean }>;
}

interface FieldValues {
  readonly values: object;
  errorAt(path: string): string | undefined;
  set(change: object): void;
}

export const FormContext = createContext<FieldValues | undefined>(undefined);

function useField(name: string, path: string) {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error(`The field ${name} is not inside of a SettingsForm.`);
  return {
    value: (form.values as Readonly<Record<string, unknown>>)[name],
    error: form.errorAt(path),
    set: (value: unknown) => form.set({ [name]: value }),
  };
}

/** The props of a field whose value is text. */
function useText(name: string, path = name) {
  const { value, error, set } = useField(name, path);
  const onChange = (event: { readonly target: { readonly value: string } }) =>
    set(event.target.value);
  return { value: String(value), error, onChange };
}

type AnyValues = Record<string, string>;

const Text: Fields<AnyValues>['Text'] = ({ name, path, ...props }) => (
  <TextField autoComplete="off" {...props} {...useText(name, path)} />
);

const Area: Fields<AnyValues>['Area'] = ({ name, path, ...props }) => (
  <TextAreaField {...props} {...useText(name, path)} />
);

const Select: Fields<AnyValues>['Select'] = ({ name, path, ...props }) => (
  <SelectField {...props} {...useText(name, path)} />
);

const Check: Fields<Record<string, boolean>>['Check'] = ({ name, path = name, ...props }) => {
  const { value, error, set } = useField(name, path);
  return (
    <div>
      <Checkbox
        {...props}
        aria-invalid={error !== undefined}
        checked={value === true}
        onChange={set}
      />
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
    </div>
  );
};

export const FIELDS = {
  Text,
  Number: (props: ComponentProps<typeof Text>) => <Text inputMode="decimal" {...props} />,
  Area,
  Select,
  Check,
};
