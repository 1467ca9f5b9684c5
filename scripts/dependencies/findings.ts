import { licenceProblem, ownTermsOf } from './licences.ts';
import type { LockedPackage } from './lock-file.ts';

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** What is wrong with what we would install, as far as that can be said without asking anybody. */
export function findings(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap((one) => [...lockProblems(one), ...licenceProblems(one)]);
}

function lockProblems({ path, version, integrity, resolved }: LockedPackage): string[] {
  const problems: string[] = [];
  if (integrity === undefined || !SHA512.test(integrity)) {
    problems.push(`${path}: is not pinned by a SHA-512 of its contents`);
  }
  if (!/^\d+\.\d+\.\d+/.test(version)) problems.push(`${path}: has no version`);
  if (resolved !== undefined) problems.push(`${path}: names where it comes from (${resolved})`);
  return problems;
}

function licenceProblems(one: LockedPackage): string[] {
  const problem = licenceProblem(ownTermsOf(one) ?? one.licence, one.dev ? 'tools' : 'installed');
  return problem === undefined ? [] : [`${one.path}: ${problem}`];
}
