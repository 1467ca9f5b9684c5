import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../checks.ts';

/** A fresh clone with an empty home directory and a minimal environment. */
export interface BareMachine {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Version of the preinstalled Node. */
  readonly node: string;
}

export function makeBareMachine(base: string, node = systemNode()): BareMachine {
  const folder = join(base, 'chatd');
  execFileSync('git', ['clone', '-q', '--no-local', ROOT, folder]);
  const [home, data] = [join(base, 'home'), join(base, 'data')];
  for (const made of [home, data]) mkdirSync(made, { mode: 0o711 });
  return {
    folder,
    // An empty home means an empty npm cache. Any free port, because another chatd may be running.
    env: {
      PATH: [dirname(node), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: home,
      CHATD_DATA_DIR: data,
      CHATD_LISTEN: '127.0.0.1:0',
    },
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1),
  };
}

/** The Node of the system, not the one that chatd has downloaded. */
function systemNode(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((path) => existsSync(path) && existsSync(join(dirname(path), 'npm')));
  if (found === undefined) {
    throw new Error(
      'No directory in PATH contains both node and npm. Set one with --node /usr/bin/node.',
    );
  }
  return found;
}
