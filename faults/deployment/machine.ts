import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, Program } from './program.ts';

export interface MachineOptions {
  /** Of the deployment. */
  readonly url: string;
  readonly token: string;
  readonly dataDir: string;
  readonly logFile: string;
  /** Speaks the previous version of the protocol. */
  readonly previousProtocol?: boolean;
  /** Path of the server program to run. Default: the one of this checkout. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const SERVER = join(import.meta.dirname, '..', '..', 'packages', 'server', 'src', 'main.ts');
const OLDER_PROGRAM = join(import.meta.dirname, 'older-machine-program.ts');

/** A process of `chatd machine`. */
export class MachineProcess extends Program {
  /** What it has logged. */
  log = '';

  static start(options: MachineOptions): MachineProcess {
    const { url, token, dataDir, logFile, program: server = SERVER, env = {} } = options;
    const program = options.previousProtocol === true ? [OLDER_PROGRAM] : [server, 'machine'];
    const child = spawn(process.execPath, ['--conditions=chatd-source', ...program], {
      env: {
        ...cleanEnvironment(),
        CHATD_URL: url,
        CHATD_MACHINE_TOKEN: token,
        CHATD_DATA_DIR: dataDir,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const machine = new MachineProcess(child);
    child.stderr.pipe(createWriteStream(logFile, { flags: 'a' }));
    child.stderr.on('data', (chunk: Buffer) => {
      machine.log = (machine.log + chunk.toString()).slice(-100_000);
    });
    return machine;
  }
}
