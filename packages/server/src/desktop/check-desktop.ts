import { hasProgram } from './find-program.ts';
import { installCommand, OFFERED, VNC_SERVER, WINDOW_MANAGERS } from './programs.ts';

/** What the machine has or lacks for desktops, for whoever runs the server. */
export interface DesktopFinding {
  readonly status: 'ok' | 'warning';
  readonly message: string;
  /** A command that puts it right. */
  readonly fix?: string;
}

export function checkDesktop(has: (program: string) => boolean = hasProgram): DesktopFinding[] {
  const fix = installCommand(has);
  if (!has(VNC_SERVER)) {
    const message = `${VNC_SERVER} (TigerVNC) is not installed: agents have no desktop`;
    return [{ status: 'warning', message, fix }];
  }
  const manager = WINDOW_MANAGERS.find((name) => has(name));
  const browser = OFFERED.find(({ label, program }) => label === 'Browser' && has(program));
  return [
    { status: 'ok', message: `${VNC_SERVER} is installed: agents can have a desktop` },
    manager === undefined
      ? { status: 'warning', message: 'no window manager is installed', fix }
      : { status: 'ok', message: `windows are managed by ${manager}` },
    browser === undefined
      ? { status: 'warning', message: 'no browser is installed for desktops of agents' }
      : { status: 'ok', message: `desktops of agents have a browser: ${browser.program}` },
    has('ffmpeg')
      ? { status: 'ok', message: 'recordings are videos (ffmpeg)' }
      : {
          status: 'warning',
          message: 'ffmpeg is not installed: recordings are filmstrips instead of videos',
          fix: fix.replace(/tigervnc.*$|xorg-x11-Xvnc.*$/, 'ffmpeg'),
        },
  ];
}
