import { hasProgram } from '../machine/display/find-program.ts';
import {
  DECORATIONS,
  installCommand,
  OFFERED,
  VNC_SERVER,
  WINDOW_MANAGERS,
} from '../machine/display/programs.ts';

/** What this host provides for desktops. A finding with a hint names what is missing. */
export interface DesktopFinding {
  readonly message: string;
  readonly hint?: string;
}

export function checkDesktop(has: (program: string) => boolean = hasProgram): DesktopFinding[] {
  const hint = `Run: ${installCommand(has)}`;
  if (!has(VNC_SERVER)) {
    return [{ message: `Agents have no desktop: ${VNC_SERVER} is not installed.`, hint }];
  }
  const manager = WINDOW_MANAGERS.find((name) => has(name));
  const browser = OFFERED.find(({ label, program }) => label === 'Browser' && has(program));
  const plain = DECORATIONS.filter((name) => !has(name));
  return [
    { message: `Agents can use a desktop (${VNC_SERVER}).` },
    manager === undefined
      ? { message: 'Desktop windows have no frames: no window manager is installed.', hint }
      : { message: `Window manager: ${manager}.` },
    ...(plain.length === 0
      ? []
      : [
          {
            message: `Desktops have no panel or background: ${plain.join(', ')} not installed.`,
            hint,
          },
        ]),
    browser === undefined
      ? { message: 'Desktops have no browser.', hint: 'Install chromium or firefox.' }
      : { message: `Desktop browser: ${browser.program}.` },
    has('ffmpeg')
      ? { message: 'Recordings are videos (ffmpeg).' }
      : {
          message: 'Recordings are filmstrips instead of videos: ffmpeg is not installed.',
          hint: 'Install ffmpeg.',
        },
  ];
}
