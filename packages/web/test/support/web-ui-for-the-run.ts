import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildWebUiInto } from '../../../../scripts/web-ui.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The web UI, built from the current sources. */
    webFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-web-'));
  await buildWebUiInto(folder);
  project.provide('webFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
