import { readFileSync, writeFileSync } from 'node:fs';
import { findings } from './dependencies/findings.ts';
import { readLockFile } from './dependencies/lock-file.ts';
import { NOTICES, renderNotices } from './dependencies/notices.ts';
import { PAGE, renderPage } from './dependencies/page.ts';
import { run } from './stage.ts';

/**
 * `npm run dependencies`: writes docs/dependencies.md and the third-party notices, checks the lock file and the licenses,
 * and runs `npm audit` if the registry is reachable.
 */
writeFileSync(PAGE, renderPage(readFileSync(PAGE, 'utf8')));
writeFileSync(NOTICES, renderNotices());
const packages = readLockFile();
const found = findings(packages);
for (const finding of found) console.log(finding);
console.log(`Checked ${packages.length} packages: ${found.length} findings.`);

const audit = await run({ program: 'npm', args: ['audit', '--audit-level=moderate'] });
if (audit.code === 0) console.log('npm audit: no known vulnerabilities.');
else if (/audit endpoint|ENOTFOUND|ECONNREFUSED|E40\d/.test(audit.output)) {
  console.log('npm audit: skipped. The registry is unreachable or does not support audits.');
} else console.log(audit.output);
process.exitCode = found.length === 0 && !/Severity:/.test(audit.output) ? 0 : 1;
