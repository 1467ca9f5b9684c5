import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../checks.ts';
import { REFERENCES } from './references.ts';

for (const { file, write } of REFERENCES) {
  mkdirSync(dirname(join(ROOT, file)), { recursive: true });
  writeFileSync(join(ROOT, file), `${write()}\n`);
  console.log(file);
}
