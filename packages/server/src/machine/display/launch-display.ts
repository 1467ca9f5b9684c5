import type { Sandbox, DisplayAccess } from '../drivers/driver.ts';
import { hasProgram } from './find-program.ts';
import { DesktopUnavailable, notInstalled } from './desktop-unavailable.ts';
import { sessionFiles } from './openbox.ts';
import type { DesktopSize } from '../machine.ts';
import { OFFERED, VNC_SERVER, WINDOW_MANAGERS } from './programs.ts';
import { newXAuthority } from './x-authority.ts';

export interface Display {
  readonly socket: string;
  /** Resolves with the reason when the display has ended. */
  readonly ended: Promise<string>;
}

const DISPLAY = ':1';
const TIMEOUT_MS = 30_000;
/** Windows work without a window manager too. */
const MANAGER_PATIENCE_MS = 10_000;
const NOT_INSTALLED = 127;

/**
 * The display number is chosen by file descriptor, so there is no lock file. It listens only on in-memory sockets,
 * which end with the sandbox.
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

/** One color, so that screenshots stay small. */
const MANAGE = `
umask 077
printf %s "$2" >"$1/rc.xml"
printf %s "$3" >"$1/menu.xml"
printf %s "$4" >"$1/tint2rc"
if command -v hsetroot >/dev/null; then hsetroot -solid '#233454'
elif command -v xsetroot >/dev/null; then xsetroot -solid '#233454'
fi >/dev/null 2>&1
(command -v tint2 >/dev/null && exec tint2 -c "$1/tint2rc" >/dev/null 2>&1) &
if command -v openbox >/dev/null; then
  exec openbox --config-file "$1/rc.xml" --startup 'echo ready'
fi
echo ready
for manager in ${WINDOW_MANAGERS.join(' ')}; do
  if command -v "$manager" >/dev/null; then exec "$manager"; fi
done
`;

/** Starts a display in a sandbox. Resolves when programs can draw on it. */
export async function launchDisplay(sandbox: Sandbox, size: DesktopSize): Promise<Display> {
  const place = demandPlace(sandbox);
  const ready = Promise.withResolvers<void>();
  let stderr = '';
  const server = await sandbox.run({
    argv: ['/bin/sh', '-c', START, 'sh', place.folder, `${size.width}x${size.height}`],
    stdin: newXAuthority(),
    background: true,
    onOutput(bytes, stream) {
      if (stream === 'stdout') ready.resolve();
      else stderr = (stderr + Buffer.from(bytes).toString('utf8')).slice(-2000);
    },
  });
  const ended = server.exit.then(({ code, signal }) =>
    code === NOT_INSTALLED ? NOT_THERE : `it exited with ${signal ?? `exit code ${code}`}`,
  );
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('it did not start in time'), TIMEOUT_MS);
  const why = await Promise.race([ready.promise, ended, late.promise]);
  clearTimeout(timer);
  if (why !== undefined) {
    await server.signal('SIGKILL').catch(() => undefined);
    throw why === NOT_THERE ? notInstalled() : new DesktopUnavailable(failed(why, stderr));
  }
  place.give({ DISPLAY, XAUTHORITY: `${place.folder}/Xauthority` });
  await manage(sandbox, place);
  return { socket: `${place.folder}/rfb`, ended };
}

const NOT_THERE = 'not installed';

/** Waits for the window manager: windows that open while it starts may never be shown. */
async function manage(sandbox: Sandbox, { folder }: DisplayAccess): Promise<void> {
  const { settings, menu, panel } = sessionFiles(folder, OFFERED, hasProgram);
  const ready = Promise.withResolvers<void>();
  const manager = await sandbox.run({
    argv: ['/bin/sh', '-c', MANAGE, 'sh', folder, settings, menu, panel],
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
    'This workspace cannot have a desktop. Desktops require the host driver with a sandbox (bubblewrap).',
  );
}

const failed = (why: string, stderr: string) =>
  `Starting the desktop failed: ${[why, stderr.trim()].filter(Boolean).join('. ')}`;
