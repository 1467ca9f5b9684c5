/** The settings of a server that tell which one is meant; all others come from the environment and chatd.json. */
export const SERVER_OPTIONS = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    completes: 'file',
    help: 'Where the server keeps everything; CHATD_DATA_DIR',
  },
  'database-url': {
    type: 'string',
    value: 'URL',
    help: 'A PostgreSQL of your own. With a password in it prefer CHATD_DATABASE_URL',
  },
} as const;

export interface ServerFlags {
  readonly 'data-dir'?: string;
  readonly 'database-url'?: string;
}

/** As `chatd serve` reads them. */
export function serverArguments(flags: ServerFlags): string[] {
  return (['data-dir', 'database-url'] as const).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}
