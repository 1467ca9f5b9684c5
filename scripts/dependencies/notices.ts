import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import { licenseOverride } from './licenses.ts';
import { type LockedPackage, readLockFile } from './lock-file.ts';

export const NOTICES = join(ROOT, 'THIRD-PARTY-NOTICES.txt');

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i;
const INTRODUCTION = `Third-party notices

Packages that are installed with chatd, their licenses, and the license texts that they contain. Packages with the
same text are listed together. The web UI has its own list: third-party-notices.txt in its folder. Binary packages of
other platforms have the license of the package that selects them. Written by npm run dependencies.`;
const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/** The notices of all packages that an installation of chatd contains. */
export function renderNotices(packages: readonly LockedPackage[] = readLockFile()): string {
  const installed = packages.filter(({ dev }) => !dev);
  const byText = Map.groupBy(installed, licenseText);
  const sections = [...byText]
    .map(([text, group]) => [...new Set(group.map(titleOf))].sort().join('\n') + textBelow(text))
    .sort();
  return `${[INTRODUCTION, ...sections].join(RULE)}\n`;
}

const titleOf = (one: LockedPackage): string =>
  `${one.name} ${one.version} (${licenseOverride(one) ?? one.license})`;

const textBelow = (text: string): string =>
  text === '' ? '\n\nThe package contains no license text.' : `\n\n${text}`;

/** Optional packages are not installed on every platform, so that their text would depend on it. */
function licenseText({ path, optional }: LockedPackage): string {
  if (optional) return '';
  const folder = join(ROOT, path);
  return readdirSync(folder)
    .filter((name) => LICENSE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}
