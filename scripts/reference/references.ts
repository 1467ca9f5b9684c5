import { apiReference } from './api.ts';
import { commandReference } from './command.ts';
import { routeTable } from './route-table.ts';
import { sdkReference } from './sdk.ts';

/** Generated files; a test compares them with their sources. */
export const REFERENCES: readonly { readonly file: string; readonly write: () => string }[] = [
  { file: 'docs/reference/api.md', write: apiReference },
  { file: 'docs/reference/sdk.md', write: sdkReference },
  { file: 'docs/reference/command.md', write: commandReference },
  { file: 'packages/client/src/route-table.ts', write: routeTable },
];
