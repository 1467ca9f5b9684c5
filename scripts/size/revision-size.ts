import { execFileSync } from 'node:child_process';
import { ROOT } from '../checks.ts';
import { type LockedPackage, readLockFile } from '../dependencies/lock-file.ts';

export interface Lines {
  readonly source: number;
  readonly tests: number;
}

/** The size of a commit. */
export interface RevisionSize {
  readonly version: string;
  /** By package or folder. */
  readonly lines: ReadonlyMap<string, Lines>;
  /** Packages that an installation contains, on any platform. */
  readonly installed: number;
  /** All packages of the lock file, including tools. */
  readonly locked: number;
  /** Direct dependencies of the published packages. */
  readonly direct: number;
}

const SOURCE = /\.(?:ts|tsx|mjs|js|sql|css|c|sh)$/;
const TEST = /(?:\.test\.tsx?|\/test\/.*)$/;
const FOLDER = /^(?:packages\/([\w-]+)|(faults|bench|scripts|examples))\//;
const GENERATED = /^(?:bench\/peers|bench\/results|scripts\/dependencies\/.*\.json)/;

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 30 });

export function sizeOf(revision: string): RevisionSize {
  const lines = new Map<string, { source: number; tests: number }>();
  for (const [path, count] of linesByFile(revision)) {
    const [, name, folder] = FOLDER.exec(path) ?? [];
    const key = name ?? folder;
    if (key === undefined || !SOURCE.test(path) || GENERATED.test(path)) continue;
    const sum = lines.get(key) ?? { source: 0, tests: 0 };
    sum[TEST.test(path) ? 'tests' : 'source'] += count;
    lines.set(key, sum);
  }
  const packages = readLockFile(git('show', `${revision}:package-lock.json`));
  return {
    version: versionOf(revision),
    lines,
    installed: distinct(packages.filter(({ dev }) => !dev)),
    locked: distinct(packages),
    direct: directDependencies(revision).size,
  };
}

function versionOf(revision: string): string {
  return (JSON.parse(git('show', `${revision}:package.json`)) as { version: string }).version;
}

/** `git grep` with a pattern that every line matches. */
function linesByFile(revision: string): [path: string, lines: number][] {
  const output = git('grep', '-I', '--count', '-e', '', revision, '--', 'packages', ...FOLDERS);
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, path = '', count = '0'] = /^[^:]+:(.*):(\d+)$/.exec(line) ?? [];
      return [path, Number(count)];
    });
}

const FOLDERS = ['faults', 'bench', 'scripts', 'examples'];

const distinct = (packages: readonly LockedPackage[]): number =>
  new Set(packages.map(({ name, version }) => `${name}@${version}`)).size;

interface Manifest {
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function directDependencies(revision: string): Set<string> {
  const paths = git('ls-tree', '-r', '--name-only', revision, 'packages').match(
    /^packages\/[\w-]+\/package\.json$/gm,
  );
  const manifests = (paths ?? []).map(
    (path) => JSON.parse(git('show', `${revision}:${path}`)) as Manifest,
  );
  const names = manifests
    .filter((one) => one.private !== true)
    .flatMap(({ dependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    );
  return new Set(names.filter((name) => !name.startsWith('@chatd/')));
}
