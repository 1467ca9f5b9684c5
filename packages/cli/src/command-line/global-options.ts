import type { Options } from './command.ts';

/** What every command takes. */
export const GLOBAL_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'The server; CHATD_URL, else the one you logged in to',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'An API token. Others can see it in the list of processes: prefer CHATD_TOKEN or chatd login',
  },
  color: { type: 'boolean', help: 'Colours, also where there seems to be no terminal' },
  'no-color': { type: 'boolean', help: 'No colours; NO_COLOR=1 does the same' },
  help: { type: 'boolean', short: 'h', help: 'What the command does' },
} as const satisfies Options;
