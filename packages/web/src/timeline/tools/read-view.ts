import type { Json } from '@chatd/protocol';
import { safeText } from '../../markdown/safe-text.ts';
import { partialObject } from './partial-json.ts';
import type { ToolView } from './tool-view.ts';

/** The arguments, or what is known of them while they stream. */
export function argumentsOf({ call }: ToolView): Fields {
  const { args, args_delta } = call;
  if (args === undefined) return partialObject(args_delta ?? '');
  return isObject(args) ? args : {};
}

/** A text argument, to be shown, or an empty string. */
export function textArgument(view: ToolView, name: string): string {
  const value = argumentsOf(view)[name];
  return typeof value === 'string' ? safeText(value) : '';
}

/** The result as text: final, streaming, or an error. */
export function resultText({ result }: ToolView): string {
  if (result === undefined) return '';
  const { result: value, result_delta } = result;
  if (value === undefined) return (result_delta ?? '').replace(WAITING, '');
  if (typeof value === 'string') return value;
  if (isObject(value) && typeof value['error'] === 'string') return value['error'];
  return JSON.stringify(value, null, 2);
}

/** The last line of live output, while the machine of the workspace is offline. */
const WAITING = /(?<=^|\n)Waiting for machine ([\w.-]+)\.\n$/;

/** The machine that a running call waits for. */
export const waitedForMachine = ({ result }: ToolView): string | undefined =>
  result?.result === undefined ? WAITING.exec(result?.result_delta ?? '')?.[1] : undefined;

/** A field of an object result. */
export function resultField({ result }: ToolView, name: string): Json | undefined {
  const value = result?.result;
  return isObject(value) ? value[name] : undefined;
}

export type Fields = Readonly<Record<string, Json | undefined>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list of unknown shape. */
export const objectsIn = (value: Json | undefined): Fields[] =>
  Array.isArray(value) ? value.flatMap((item) => (isObject(item) ? [item] : [])) : [];

/** A value as inline text. */
export const plain = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
