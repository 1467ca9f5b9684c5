import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withStates } from './docs/state-diagram.ts';

// `npm run docs:states`: writes the state diagram and table of docs/concepts.md from the move table of the server.
const page = join(import.meta.dirname, '../docs/concepts.md');
writeFileSync(page, withStates(readFileSync(page, 'utf8')));
