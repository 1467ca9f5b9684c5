import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this computer shows its browser to the user. */
export function hasBrowser(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (isSet(env['SSH_CONNECTION'])) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']);
}

const isSet = (text: string | undefined) => text !== undefined && text !== '';

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // Unlike `start`, it does not interpret the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser of the user. Failures are ignored: the caller also shows the address. */
export function openBrowser(url: string, env: Environment): void {
  const [opener, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(opener, [...args, url], { env, detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
