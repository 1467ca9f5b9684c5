import type { LockedPackage } from './lock-file.ts';

/** They ask for no more than to be named. */
const PERMISSIVE = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PostgreSQL',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
]);

/** They ask for the source of their own files, which we do not change. */
const PER_FILE = new Set(['MPL-2.0']);

/** How far a package goes: with an installation of chatd, or no further than our own checkout and the web UI's bundle. */
export type Reach = 'installed' | 'tools';

/** What keeps a package of this licence (an SPDX expression) from being used for that; none when nothing does. */
export function licenceProblem(expression: string | undefined, reach: Reach): string | undefined {
  if (expression === undefined) return 'says nothing of its licence';
  const allowed = (id: string) => PERMISSIVE.has(id) || (reach === 'tools' && PER_FILE.has(id));
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  const isAllowed = choices.some((choice) => choice.split(' AND ').every(allowed));
  return isAllowed ? undefined : `its licence, ${expression}, is not one that we have agreed to`;
}

/** Packages whose manifest points to a file that they do not carry; their README says it. */
const SAID_ELSEWHERE: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/server-everything': 'MIT',
  '@modelcontextprotocol/server-filesystem': 'MIT',
};

export function ownTermsOf(one: LockedPackage | undefined): string | undefined {
  return one?.licence?.startsWith('SEE LICENSE') === true ? SAID_ELSEWHERE[one.name] : undefined;
}
