import { busCheck } from './bus-check.ts';
import { dataDirectoryCheck } from './data-directory-check.ts';
import { databaseCheck } from './database-check.ts';
import { desktopCheck } from './desktop-check.ts';
import { dockerCheck } from './docker-check.ts';
import { fileStorageCheck } from './file-storage-check.ts';
import type { Check } from './finding.ts';
import { machinesCheck } from './machines-check.ts';
import { nodeCheck } from './node-check.ts';
import { oidcCheck } from './oidc-check.ts';
import { portCheck } from './port-check.ts';
import { sandboxCheck } from './sandbox-check.ts';
import { secretsCheck } from './secrets-check.ts';

export const CHECKS: readonly Check[] = [
  nodeCheck,
  dataDirectoryCheck,
  databaseCheck,
  busCheck,
  fileStorageCheck,
  secretsCheck,
  oidcCheck,
  sandboxCheck,
  dockerCheck,
  desktopCheck,
  machinesCheck,
  portCheck,
];
