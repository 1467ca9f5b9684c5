import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stage } from './stage.ts';
import type { Command } from './stage.ts';

export const ROOT = join(import.meta.dirname, '..');

/** A command of a development dependency. */
export function tool(name: string, ...args: string[]): Command {
  return { program: join(ROOT, 'node_modules', '.bin', name), args };
}

export function packagesWith(file: string): string[] {
  return readdirSync(join(ROOT, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(ROOT, folder, file)));
}

const CHECKS: Record<string, () => Command[]> = {
  types: () => [
    tool('tsc', '-b', ...packagesWith('tsconfig.json')),
    tool('tsc', '-p', 'tsconfig.json'),
    tool('tsc', '-p', 'examples/react-chat'),
  ],
  lint: () => [tool('oxlint', '--type-aware', '--deny-warnings')],
  layers: () => [tool('oxlint', '-c', 'layers.config.ts', '--deny-warnings')],
  format: () => [tool('oxfmt', '--check', '.')],
  'dead code': () => [tool('knip', '--no-config-hints')],
};

/** Runs the static checks. Returns the number of failed checks. */
export async function runChecks(): Promise<number> {
  let failed = 0;
  for (const [name, commands] of Object.entries(CHECKS)) {
    const { ok } = await stage(name, commands());
    if (!ok) failed += 1;
  }
  return failed;
}
