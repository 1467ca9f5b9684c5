import { hasProgram } from './find-program.ts';
import { installCommand, VNC_SERVER } from './programs.ts';

/** There is no desktop, and why; the message says what to do. */
export class DesktopUnavailable extends Error {
  override readonly name = 'NoDesktop';
}

export const notInstalled = (): DesktopUnavailable =>
  new DesktopUnavailable(
    `A desktop needs ${VNC_SERVER}, which is not installed on this machine. Whoever runs chatd can install it: ${installCommand(hasProgram)}`,
  );

/** Before anything is begun that would find it out only later. */
export function requireDesktopPrograms(): void {
  if (!hasProgram(VNC_SERVER)) throw notInstalled();
}
