import { hasProgram } from '../../../server/src/machine/display/find-program.ts';

const NEEDED = ['bwrap', 'Xvnc', 'openbox', 'tint2', 'hsetroot', 'xterm'];
const missing = NEEDED.filter((program) => !hasProgram(program));

if (missing.length > 0) {
  process.stderr.write(
    `\nNOT TESTED: desktops, since there is no ${missing.join(', ')}. ` +
      'Install: apt-get install bubblewrap tigervnc-standalone-server openbox tint2 hsetroot xterm\n\n',
  );
}

/** Whether this machine has all programs for desktops. */
export const hasDesktops = missing.length === 0;
