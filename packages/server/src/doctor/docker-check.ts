import { dockerVersion } from '../machine/drivers/docker/docker-daemon.ts';
import { type Check, ok, warning } from './finding.ts';

const NAME = 'docker';

/** For templates with the driver `docker`. */
export const dockerCheck: Check = {
  name: NAME,
  async look({ config: { workspaces } }) {
    if (!workspaces.enabled || workspaces.localMachine === false) return [];
    try {
      return [ok(NAME, `Docker ${await dockerVersion()} is available.`)];
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        return [
          ok(
            NAME,
            'Not installed. Templates with the driver docker require a machine with Docker.',
          ),
        ];
      }
      return [
        warning(
          NAME,
          'Docker is installed, but its daemon cannot be reached.',
          'Start the daemon, and allow this user to use it (group docker).',
        ),
      ];
    }
  },
};
