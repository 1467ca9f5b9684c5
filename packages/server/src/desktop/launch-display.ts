import type { Sandbox, DisplayAccess } from '../workspaces/driver.ts';
import { hasProgram } from './find-program.ts';
import { DesktopUnavailable, notInstalled } from './desktop-unavailable.ts';
import { openboxFiles } from './openbox.ts';
import type { Size } from './picture/scale.ts';
import { OFFERED, VNC_SERVER, WINDOW_MANAGERS } from './programs.ts';
import { newXAuthority } from './x-authority.ts';

export interface Display {
  /** A Unix socket in the sandbox. */
  readonly socket: string;
  /** Why it ended, once it has. */
  readonly ended: Promise<string>;
}

const DISPLAY = ':1';
const PATIENCE_MS = 30_000;
/** Without one, windows are shown all the same. */
const MANAGER_PATIENCE_MS = 10_000;
const NOT_INSTALLED = 127;

/**
 * The display is named by a file descriptor, and so makes no lock file; it listens on sockets in memory that end with the
 * sandbox, and on no port.
 */
const START = `
umask 077
cat >"$1/Xauthority"
command -v ${VNC_SERVER} >/dev/null || exit ${NOT_INSTALLED}
folder=$1 size=$2
exec ${VNC_SERVER} ${DISPLAY} -displayfd 1 -geometry "$size" -depth 24 -desktop chatd \\
  -auth "$folder/Xauthority" -nolisten tcp -nolisten local -noreset -s 0 \\
  -rfbport=-1 -rfbunixpath="$folder/rfb" -rfbunixmode=0600 -SecurityTypes=None \\
  -AlwaysShared=1 -AcceptSetDesktopSize=0 -FrameRate=30 -Log='*:stderr:10'
`;

const MANAGE = `
umask 077
printf %s "$2" >"$1/rc.xml"
printf %s "$3" >"$1/menu.xml"
if command -v openbox >/dev/null; then
  exec openbox --config-file "$1/rc.xml" --startup 'echo ready'
fi
echo ready
for manager in ${WINDOW_MANAGERS.join(' ')}; do
  if command -v "$manager" >/dev/null; then exec "$manager"; fi
done
`;

/** Starts a display in a sandbox, and resolves when it can be drawn on. */
export async function launchDisplay(sandbox: Sandbox, size: Size): Promise<Display> {
  const place = demandPlace(sandbox);
  const ready = Promise.withResolvers<void>();
  let complaint = '';
  const server = await sandbox.run({
    argv: ['/bin/sh', '-c', START, 'sh', place.folder, `${size.width}x${size.height}`],
    stdin: newXAuthority(),
    background: true,
    onOutput(bytes, stream) {
      if (stream === 'stdout') ready.resolve();
      else complaint = (complaint + Buffer.from(bytes).toString('utf8')).slice(-2000);
    },
  });
  const ended = server.exit.then(({ code, signal }) =>
    code === NOT_INSTALLED ? NOT_THERE : `it ended with ${signal ?? `exit code ${code}`}`,
  );
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('it did not start in time'), PATIENCE_MS);
  const why = await Promise.race([ready.promise, ended, late.promise]);
  clearTimeout(timer);
  if (why !== undefined) {
    await server.signal('SIGKILL').catch(() => undefined);
    throw why === NOT_THERE ? notInstalled() : new DesktopUnavailable(failed(why, complaint));
  }
  place.give({ DISPLAY, XAUTHORITY: `${place.folder}/Xauthority` });
  await manage(sandbox, place);
  return { socket: `${place.folder}/rfb`, ended };
}

const NOT_THERE = 'not installed';

/** A window that opens while the window manager starts may never be shown: it has to be there first. */
async function manage(sandbox: Sandbox, { folder }: DisplayAccess): Promise<void> {
  const { settings, menu } = openboxFiles(folder, OFFERED, hasProgram);
  const ready = Promise.withResolvers<void>();
  const manager = await sandbox.run({
    argv: ['/bin/sh', '-c', MANAGE, 'sh', folder, settings, menu],
    background: true,
    onOutput: (_, stream) => {
      if (stream === 'stdout') ready.resolve();
    },
  });
  const timer = setTimeout(() => ready.resolve(), MANAGER_PATIENCE_MS);
  await Promise.race([ready.promise, manager.exit]);
  clearTimeout(timer);
}

function demandPlace({ display }: Sandbox): DisplayAccess {
  if (display !== undefined) return display;
  throw new DesktopUnavailable(
    'This kind of workspace has no desktop: it needs the host driver, and the sandbox (bubblewrap).',
  );
}

const failed = (why: string, complaint: string) =>
  `The desktop could not be started: ${[why, complaint.trim()].filter(Boolean).join('. ')}`;
