import type { Context } from '../context.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly help: string;
  readonly short?: string;
  readonly multiple?: true;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly completes?: 'file';
}
export type Options = Readonly<Record<string, Option>>;

type Value<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O extends { readonly multiple: true }
    ? string[]
    : string;
export type Values<O extends Options> = { readonly [Name in keyof O]?: Value<O[Name]> };

export interface Positional {
  readonly name: string;
  readonly optional?: true;
  /** Takes all that are left. */
  readonly rest?: true;
  readonly choices?: readonly string[];
  readonly completes?: 'file';
}

export interface Invocation<O extends Options = Options> {
  readonly values: Values<O>;
  readonly positionals: readonly string[];
  readonly context: Context;
}

interface Described {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What else there is to know. */
  readonly details?: string;
  readonly examples?: readonly (readonly [command: string, meaning: string])[];
  readonly hidden?: true;
}

/** A command that does something. */
export interface Action<O extends Options = Options> extends Described {
  readonly options: O;
  readonly positionals: readonly Positional[];
  /** It reads what follows by itself. */
  readonly verbatim?: true;
  run(invocation: Invocation<O>): Promise<number>;
}

/** A command that only has others below it. */
export interface Group extends Described {
  readonly commands: readonly Command[];
}

export type Command = Action | Group;

export const isGroup = (command: Command): command is Group => 'commands' in command;

/** Its options decide the types of the values that `run` gets. */
export function action<const O extends Options>(
  definition: Omit<Action<O>, 'options' | 'positionals'> & {
    readonly options?: O;
    readonly positionals?: readonly Positional[];
  },
): Action {
  const { options, positionals = [], ...rest } = definition;
  // The parser makes the values from these very options, so what `run` gets is what it says it takes.
  return { ...rest, options: options ?? {}, positionals };
}

export const group = (definition: Group): Group => definition;
