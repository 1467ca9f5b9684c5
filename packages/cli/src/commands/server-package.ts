import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';

/** A part of the server; undefined in the package `@chatd/cli`, which comes without one. */
export async function loadIfInstalled<Part>(load: () => Promise<Part>): Promise<Part | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isServerMissing(error)) return undefined;
    throw error;
  }
}

/** A part of the server; fails with what to install where there is none. */
export async function loadServer<Part>(load: () => Promise<Part>): Promise<Part> {
  const part = await loadIfInstalled(load);
  if (part !== undefined) return part;
  throw new CommandFailed(
    EXIT.usage,
    'This is the thin client @chatd/cli, which does not include the server.',
    'Install the package chatd for serve, backup, restore and doctor --local.',
  );
}

function isServerMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@chatd/server'");
}
