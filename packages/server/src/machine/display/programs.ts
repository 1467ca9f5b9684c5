/* The host programs that make up a desktop. They run in the sandbox, which sees the programs of the host. */
import type { MenuEntry } from './openbox.ts';

export const VNC_SERVER = 'Xvnc';

/** The first installed one is started. Without one, windows have no frames. */
export const WINDOW_MANAGERS = [
  'openbox',
  'xfwm4',
  'icewm',
  'fluxbox',
  'matchbox-window-manager',
  'twm',
] as const;

/** Chromium's own sandbox does not work inside a sandbox. */
const CHROMIUM = '--no-sandbox --no-first-run --disable-dev-shm-usage';

/** Entries of the desktop menu. For each label, the first installed program. */
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

/** Optional: the panel with buttons and open windows, and the background. */
export const DECORATIONS = ['tint2', 'hsetroot'] as const;

/** For the package manager of this host, if known. */
const PACKAGES: readonly (readonly [manager: string, command: string])[] = [
  ['apt-get', 'apt-get install tigervnc-standalone-server openbox tint2 hsetroot xterm'],
  ['dnf', 'dnf install tigervnc-server openbox tint2 hsetroot xterm'],
  ['pacman', 'pacman -S tigervnc openbox tint2 hsetroot xterm'],
  ['zypper', 'zypper install xorg-x11-Xvnc openbox tint2 hsetroot xterm'],
  ['apk', 'apk add tigervnc openbox tint2 hsetroot xterm'],
];

export function installCommand(has: (program: string) => boolean): string {
  const [, command] = PACKAGES.find(([manager]) => has(manager)) ?? PACKAGES[0] ?? [];
  return command ?? '';
}
