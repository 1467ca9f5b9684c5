import { Validator } from '@cfworker/json-schema';
import type { Json } from '@chatd/protocol';
import { type AnyTool, inputSchemaOf, isStandard, type StandardSchema } from './tool.ts';

type Checked = { readonly args: unknown } | { readonly problem: string };

const MAX_PROBLEMS = 5;

/** The parsed arguments for `run`, or an error text for the model. */
export async function checkArguments(name: string, tool: AnyTool, args: Json): Promise<Checked> {
  const { schema } = tool;
  if (schema !== undefined && isStandard(schema)) return await checkStandard(schema, args);
  const validator = new Validator(inputSchemaOf(name, tool), '7', false);
  const { valid, errors } = validator.validate(args);
  if (valid) return { args };
  // Innermost errors first: the outer ones only follow from them.
  const problems = errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  return { problem: wrong(problems.toReversed()) };
}

async function checkStandard(schema: StandardSchema, args: Json): Promise<Checked> {
  const result = await schema['~standard'].validate(args);
  if (result.issues === undefined) return { args: result.value };
  const problems = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
  });
  return { problem: wrong(problems) };
}

const wrong = (problems: readonly string[]) =>
  `Invalid arguments: ${problems.slice(0, MAX_PROBLEMS).join('; ')}`;
