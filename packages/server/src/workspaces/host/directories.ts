import { join } from 'node:path';

/** Where the host driver keeps a workspace: its files, and a home and a place for temporary files beside them. */
export interface Directories {
  readonly base: string;
  readonly files: string;
  readonly home: string;
  readonly tmp: string;
}

export function directoriesOf(parent: string, id: string): Directories {
  const base = join(parent, id);
  return { base, files: join(base, 'files'), home: join(base, 'home'), tmp: join(base, 'tmp') };
}

/** As the inside of a sandbox sees them. */
export const INSIDE = {
  root: '/workspace',
  home: '/home/agent',
  tools: '/run/chatd',
  proxySocket: '/run/chatd/proxy.sock',
  proxyPort: 3128,
  /** In memory: nothing of a display is left when the sandbox has ended, however it did. */
  display: '/run/chatd/desktop',
  xSockets: '/tmp/.X11-unix',
} as const;
