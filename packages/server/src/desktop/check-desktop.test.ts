import { expect, test } from 'vitest';
import { checkDesktop } from './check-desktop.ts';

const machineWith =
  (...programs: string[]) =>
  (program: string) =>
    programs.includes(program);

test('a missing desktop is reported with the command that installs it', () => {
  expect(checkDesktop(machineWith('apt-get'))).toEqual([
    {
      message: 'Agents have no desktop: Xvnc is not installed.',
      hint: 'Run: apt-get install tigervnc-standalone-server openbox tint2 hsetroot xterm',
    },
  ]);
  expect(checkDesktop(machineWith('dnf'))[0]?.hint).toContain('dnf install tigervnc-server');
});

test('with all programs installed, the check lists them', () => {
  const found = checkDesktop(
    machineWith('Xvnc', 'openbox', 'tint2', 'hsetroot', 'firefox', 'ffmpeg'),
  );
  expect(found.map(({ message }) => message)).toEqual([
    'Agents can use a desktop (Xvnc).',
    'Window manager: openbox.',
    'Desktop browser: firefox.',
    'Recordings are videos (ffmpeg).',
  ]);
  expect(found.some(({ hint }) => hint !== undefined)).toBe(false);
});

test('missing optional programs are reported as well', () => {
  const hints = checkDesktop(machineWith('Xvnc')).map(({ hint }) => hint ?? 'fine');
  expect(hints).toEqual([
    'fine',
    expect.stringContaining('openbox'),
    expect.stringContaining('tint2'),
    'Install chromium or firefox.',
    'Install ffmpeg.',
  ]);
});
