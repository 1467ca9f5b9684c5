import type { MachineProvisioner, TemplateDefinition } from '@chatd/protocol';

/** A machine that was reserved for one workspace, and does not exist until it is provisioned. */
export interface MachineOrder {
  readonly machineId: string;
  readonly workspaceId: string;
  /** Replaces the token of the machine. Earlier tokens are no longer accepted. */
  newToken(): Promise<string>;
  isOnline(): Promise<boolean>;
  /** One line about the state of the machine, for the setup output. */
  onProgress(line: string): void;
  readonly signal: AbortSignal;
}

/** Makes computers that run `chatd machine`. All methods can be repeated, also by another replica. */
export interface Provisioner<Options> {
  /** Returns when the machine is online. Follows the machine of an earlier attempt, if it exists. Throws `ProvisionError`. */
  provision(order: MachineOrder, options: Options): Promise<void>;
  remove(machineId: string, options: Options): Promise<void>;
  /** The machines that exist. */
  list(options: Options): Promise<readonly string[]>;
}

type GivenOptions = MachineProvisioner['kubernetes'];

/** With defaults. */
export interface KubernetesOptions extends Omit<GivenOptions, 'namespace' | 'sandbox'> {
  readonly namespace: string;
  readonly sandbox: 'bubblewrap' | 'pod';
}

/** Undefined: workspaces of the template share existing machines. */
export function kubernetesOptions(
  template: Pick<TemplateDefinition, 'machine'> | null,
): KubernetesOptions | undefined {
  const given = template?.machine?.provisioner?.kubernetes;
  return (
    given && {
      ...given,
      namespace: given.namespace ?? NAMESPACE,
      sandbox: given.sandbox ?? 'bubblewrap',
    }
  );
}

const NAMESPACE = 'chatd-workspaces';

/** The machine could not be made. The message gives the reason. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
}
