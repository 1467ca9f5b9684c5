import { licenseProblem, licenseOverride } from './licenses.ts';
import type { LockedPackage } from './lock-file.ts';

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Problems of the lock file and of licenses, without network access. */
export function findings(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap((one) => [...lockProblems(one), ...licenseProblems(one)]);
}

function lockProblems({ path, version, integrity, resolved }: LockedPackage): string[] {
  const problems: string[] = [];
  if (integrity === undefined || !SHA512.test(integrity)) {
    problems.push(`${path}: no SHA-512 integrity hash`);
  }
  if (!/^\d+\.\d+\.\d+/.test(version)) problems.push(`${path}: no version`);
  if (resolved !== undefined) problems.push(`${path}: has a resolved URL (${resolved})`);
  return problems;
}

function licenseProblems(one: LockedPackage): string[] {
  const problem = licenseProblem(
    licenseOverride(one) ?? one.license,
    one.dev ? 'tools' : 'installed',
  );
  return problem === undefined ? [] : [`${one.path}: ${problem}`];
}
