/*
 * The programs of the machine that make a desktop. They run in the sandbox of a workspace, which sees what is installed on
 * the machine.
 */
import type { MenuEntry } from './openbox.ts';

export const VNC_SERVER = 'Xvnc';

/** The first that is there is started; without one, windows have no frames. */
export const WINDOW_MANAGERS = [
  'openbox',
  'xfwm4',
  'icewm',
  'fluxbox',
  'matchbox-window-manager',
  'twm',
] as const;

/** Chromium's own sandbox cannot be had inside of ours. */
const CHROMIUM = '--no-sandbox --no-first-run --disable-dev-shm-usage';

/** What the menu of the desktop offers; of each label, the first that is there. */
export const OFFERED: readonly MenuEntry[] = [
  ...['chromium', 'google-chrome', 'chromium-browser'].map((program) => ({
    label: 'Browser',
    program,
    command: `${program} ${CHROMIUM}`,
  })),
  ...['firefox-esr', 'firefox'].map((program) => ({
    label: 'Browser',
    program,
    command: program,
  })),
  ...['xterm', 'xfce4-terminal', 'lxterminal', 'konsole'].map((program) => ({
    label: 'Terminal',
    program,
    command: program,
  })),
];

/** By the package manager of the machine, if we know it; what to install is called alike everywhere but there. */
const PACKAGES: readonly (readonly [manager: string, command: string])[] = [
  ['apt-get', 'apt-get install tigervnc-standalone-server openbox xterm'],
  ['dnf', 'dnf install tigervnc-server openbox xterm'],
  ['pacman', 'pacman -S tigervnc openbox xterm'],
  ['zypper', 'zypper install xorg-x11-Xvnc openbox xterm'],
  ['apk', 'apk add tigervnc openbox xterm'],
];

export function installCommand(has: (program: string) => boolean): string {
  const [, command] = PACKAGES.find(([manager]) => has(manager)) ?? PACKAGES[0] ?? [];
  return command ?? '';
}
