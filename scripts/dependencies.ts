import { readFileSync, writeFileSync } from 'node:fs';
import { findings } from './dependencies/findings.ts';
import { readLockFile } from './dependencies/lock-file.ts';
import { PAGE, renderPage } from './dependencies/page.ts';
import { run } from './stage.ts';

/**
 * `npm run dependencies`: writes docs/dependencies.md, says what is wrong with what we would install, and asks the
 * registry for what is known against it, where it can be reached.
 */
writeFileSync(PAGE, renderPage(readFileSync(PAGE, 'utf8')));
const packages = readLockFile();
const found = findings(packages);
for (const finding of found) console.log(finding);
console.log(`${packages.length} packages are pinned by their contents; ${found.length} findings.`);

const audit = await run({ program: 'npm', args: ['audit', '--audit-level=moderate'] });
if (audit.code === 0) console.log('The registry knows of nothing against them.');
else if (/audit endpoint|ENOTFOUND|ECONNREFUSED|E40\d/.test(audit.output)) {
  console.log(
    'What is known against them was not asked: the registry has no advisories, or is out of reach.',
  );
} else console.log(audit.output);
process.exitCode = found.length === 0 && !/Severity:/.test(audit.output) ? 0 : 1;
