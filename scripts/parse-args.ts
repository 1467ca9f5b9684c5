import { parseArgs as parse, type ParseArgsConfig } from 'node:util';

/** `parseArgs` of Node.js, with `--help`. An unknown option ends the program with the list of the available ones. */
export function parseArgs<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parse<T>> {
  if (process.argv.includes('--help')) {
    console.log(usageOf(config));
    process.exit(0);
  }
  try {
    return parse(config);
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : String(error)}\n\n${usageOf(config)}`,
    );
    process.exit(2);
  }
}

function usageOf({ options = {}, allowPositionals = false }: ParseArgsConfig): string {
  const command = `npm run ${process.env['npm_lifecycle_event'] ?? 'COMMAND'} --`;
  const lines = Object.entries(options).map(([name, { type, default: initial }]) => {
    const option = `  --${name}${type === 'string' ? ' VALUE' : ''}`;
    const shown = initial === undefined || initial === false ? '' : `default: ${String(initial)}`;
    return `${option.padEnd(26)}${shown}`.trimEnd();
  });
  return [`Usage: ${command}${allowPositionals ? ' [NAME…]' : ''} [OPTION…]`, ...lines].join('\n');
}
