import { apiReference } from './api.ts';
import { commandReference } from './command.ts';
import { sdkReference } from './sdk.ts';

/** Pages that are written from what they describe; a test compares them. */
export const REFERENCES: readonly { readonly file: string; readonly write: () => string }[] = [
  { file: 'docs/reference/api.md', write: apiReference },
  { file: 'docs/reference/sdk.md', write: sdkReference },
  { file: 'docs/reference/command.md', write: commandReference },
];
