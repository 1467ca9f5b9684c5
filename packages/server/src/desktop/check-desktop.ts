import { hasProgram } from './find-program.ts';
import { installCommand, OFFERED, VNC_SERVER, WINDOW_MANAGERS } from './programs.ts';

/** What the machine has for desktops; with a hint, what it lacks and what to do. */
export interface DesktopFinding {
  readonly message: string;
  readonly hint?: string;
}

export function checkDesktop(has: (program: string) => boolean = hasProgram): DesktopFinding[] {
  const hint = `Install it: ${installCommand(has)}`;
  if (!has(VNC_SERVER)) {
    return [{ message: `Agents have no desktop: ${VNC_SERVER} is not installed.`, hint }];
  }
  const manager = WINDOW_MANAGERS.find((name) => has(name));
  const browser = OFFERED.find(({ label, program }) => label === 'Browser' && has(program));
  return [
    { message: `agents can have a desktop (${VNC_SERVER})` },
    manager === undefined
      ? { message: 'Windows of desktops have no frames: there is no window manager.', hint }
      : { message: `windows are managed by ${manager}` },
    browser === undefined
      ? { message: 'Desktops have no browser.', hint: 'Install chromium or firefox.' }
      : { message: `desktops have a browser: ${browser.program}` },
    has('ffmpeg')
      ? { message: 'recordings are videos (ffmpeg)' }
      : {
          message: 'Recordings are filmstrips instead of videos: ffmpeg is not installed.',
          hint: 'Install ffmpeg.',
        },
  ];
}
