import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../checks.ts';

/** A fresh clone, and an environment in which nothing is set up: as near to a bare machine as one comes on another. */
export interface BareMachine {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of the Node that is there before chatd brings its own. */
  readonly node: string;
}

export function makeBareMachine(base: string, node = systemNode()): BareMachine {
  const folder = join(base, 'chatd');
  execFileSync('git', ['clone', '-q', '--no-local', ROOT, folder]);
  const [home, data] = [join(base, 'home'), join(base, 'data')];
  for (const made of [home, data]) mkdirSync(made, { mode: 0o711 });
  return {
    folder,
    // With an empty home npm has nothing in its cache. The port is any that is free: another chatd may be at work here.
    env: {
      PATH: [dirname(node), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: home,
      CHATD_DATA_DIR: data,
      CHATD_LISTEN: '127.0.0.1:0',
    },
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1),
  };
}

/** The machine's own, not the newer one that chatd brought for itself. */
function systemNode(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((path) => existsSync(path) && existsSync(join(dirname(path), 'npm')));
  if (found === undefined) {
    throw new Error(
      'There is no folder with node and npm on the PATH. Name one: --node /usr/bin/node',
    );
  }
  return found;
}
