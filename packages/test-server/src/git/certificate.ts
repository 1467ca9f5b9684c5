import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  /** The path of `cert`, which is self-signed. */
  readonly file: string;
}

/** Creates a self-signed certificate for 127.0.0.1. */
export async function makeCertificate(folder: string): Promise<TestCertificate> {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await run(
    'openssl',
    [
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ['-days', '2', '-subj', '/CN=chatd test', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ['-keyout', key, '-out', file],
    ].flat(),
  );
  return { key: await readFile(key, 'utf8'), cert: await readFile(file, 'utf8'), file };
}
