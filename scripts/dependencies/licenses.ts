import type { LockedPackage } from './lock-file.ts';

/** Require attribution only. */
const PERMISSIVE = new Set([
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PostgreSQL',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
]);

/** Require the source of their own files (MPL), or the license with the font (OFL). We do not modify the files. */
const PER_FILE = new Set(['MPL-2.0', 'OFL-1.1']);

/** Where a package is used: installed with chatd, or only in development and in the web UI bundle. */
export type Reach = 'installed' | 'tools';

/** Why a license (an SPDX expression) is not allowed for this use; undefined if it is. */
export function licenseProblem(expression: string | undefined, reach: Reach): string | undefined {
  if (expression === undefined) return 'has no license';
  const allowed = (id: string) => PERMISSIVE.has(id) || (reach === 'tools' && PER_FILE.has(id));
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  const isAllowed = choices.some((choice) => choice.split(' AND ').every(allowed));
  return isAllowed ? undefined : `license ${expression} is not allowed`;
}

/** Packages whose manifest names no license. It is in their README or license file. */
const OVERRIDES: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/server-everything': 'MIT',
  '@modelcontextprotocol/server-filesystem': 'MIT',
  khroma: 'MIT',
};

export function licenseOverride(one: LockedPackage | undefined): string | undefined {
  if (one === undefined) return undefined;
  const { license, name } = one;
  return license === undefined || license.startsWith('SEE LICENSE') ? OVERRIDES[name] : undefined;
}
