import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';

/** Loads a module of the server. Undefined in the package `@chatd/cli`, which does not include the server. */
export async function loadIfInstalled<Module>(
  load: () => Promise<Module>,
): Promise<Module | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isServerMissing(error)) return undefined;
    throw error;
  }
}

/** Loads a module of the server, or fails with the package to install. */
export async function loadServer<Module>(load: () => Promise<Module>): Promise<Module> {
  const loaded = await loadIfInstalled(load);
  if (loaded !== undefined) return loaded;
  throw new CommandFailed(
    EXIT.usage,
    'The package @chatd/cli does not include the server.',
    'Install the package chatd for serve, backup, restore and doctor --local.',
  );
}

function isServerMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@chatd/server'");
}
