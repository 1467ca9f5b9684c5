import { borrowDatabase, type BorrowedDatabase, hasDatabase } from '../borrowed-database.ts';
import { type Config, readConfig } from '../config.ts';
import { isAlive } from '../postgres/process-identity.ts';
import { readAnnouncement } from '../postgres/server-announcement.ts';
import { CHECKS } from './checks.ts';
import { type Check, type Finding, fromError } from './finding.ts';

export interface DoctorOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly checks?: readonly Check[];
  /** Called for each finding. */
  readonly onFinding: (finding: Finding) => void;
}

/** Checks the local installation, whether or not the server is running. Changes nothing. */
export async function runChecks(examination: DoctorOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const found = (finding: Finding) => {
    findings.push(finding);
    examination.onFinding(finding);
  };
  const config = settings(examination, found);
  if (config === undefined) return findings;
  const announced =
    config.databaseUrl === undefined ? await readAnnouncement(config.dataDir) : undefined;
  const runningAt = announced !== undefined && isAlive(announced.pid) ? announced.url : undefined;
  const borrowed = await borrow(config, found);
  try {
    const examined = { config, env: examination.env, databaseUrl: borrowed?.url, runningAt };
    for (const check of examination.checks ?? CHECKS) {
      for (const finding of await look(check, examined)) found(finding);
    }
  } finally {
    await borrowed?.release();
  }
  return findings;
}

function settings(
  { args, env, isRoot }: DoctorOptions,
  found: (finding: Finding) => void,
): Config | undefined {
  try {
    const { config, warnings } = readConfig({ args, env, isRoot });
    for (const message of warnings) {
      found({
        check: 'settings',
        level: 'warning',
        message,
        hint: 'Correct the name, or unset the variable.',
      });
    }
    return config;
  } catch (error) {
    found(fromError('settings', error));
    return undefined;
  }
}

/** Undefined: there is no database yet, or it does not start, which is reported. */
async function borrow(
  config: Config,
  found: (finding: Finding) => void,
): Promise<BorrowedDatabase | undefined> {
  if (config.databaseUrl === undefined && !(await hasDatabase(config.dataDir))) return undefined;
  try {
    return await borrowDatabase(config);
  } catch (error) {
    found(fromError('database', error));
    return undefined;
  }
}

async function look(check: Check, examined: Parameters<Check['look']>[0]): Promise<Finding[]> {
  try {
    return await check.look(examined);
  } catch (error) {
    return [fromError(check.name, error)];
  }
}
