import { type AgentAccount, agentAccount } from '../machine/drivers/host/agent-account.ts';
import { hasProgram } from '../machine/display/find-program.ts';
import { probeInternet } from '../machine/drivers/host/internet.ts';
import { probeSandbox } from '../machine/drivers/host/sandbox-probe.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'sandbox';

export const sandboxCheck: Check = {
  name: NAME,
  async look({ config: { workspaces } }) {
    if (!workspaces.enabled) return [ok(NAME, 'Not needed: CHATD_WORKSPACES=0.')];
    if (workspaces.localMachine === false) return [ok(NAME, 'Not needed: CHATD_LOCAL_MACHINE=0.')];
    const account = await agentAccount();
    const support = await probeSandbox(account);
    if (support.works) {
      return [
        ok(NAME, 'Agent commands run in a sandbox (bubblewrap).'),
        await internetFinding(account),
        ...(hasProgram('git') ? [] : [NO_GIT]),
      ];
    }
    if (workspaces.allowUnsandboxed) {
      return [
        warning(
          NAME,
          `Agent commands run without a sandbox: ${support.why}.`,
          'Install bubblewrap (apt-get install bubblewrap). Until then, agents can do whatever this user can do.',
        ),
      ];
    }
    return [
      broken(
        NAME,
        `Workspaces cannot be opened: ${support.why}.`,
        'Install bubblewrap (apt-get install bubblewrap), use templates with the docker driver, or disable workspaces with CHATD_WORKSPACES=0.',
      ),
    ];
  },
};

const NO_GIT = warning(
  NAME,
  'Workspaces have no checkpoints and no diffs, because git is not installed.',
  'Install git (apt-get install git).',
);

async function internetFinding(account: AgentAccount | undefined): Promise<Finding> {
  const internet = await probeInternet(account);
  if (internet.works) return ok(NAME, 'Workspaces can have internet access (slirp4netns).');
  return warning(
    NAME,
    `Workspaces with network mode internet cannot be opened: ${internet.why}`,
    'Install what is missing, or use network allowlists in templates.',
  );
}
