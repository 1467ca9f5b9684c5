import type {
  V1EnvVar,
  V1Pod,
  V1PodSpec,
  V1ResourceRequirements,
  V1Secret,
  V1SecurityContext,
} from '@kubernetes/client-node';
import type { KubernetesOptions } from '../provisioner.ts';

export const DEPLOYMENT_LABEL = 'chatd.dev/deployment';
export const MACHINE_LABEL = 'chatd.dev/machine';

const DATA_DIR = '/var/lib/chatd';
/** The user of the image. */
const UID = 7717;
const TOKEN_KEY = 'token';

export interface PodOrder {
  /** Distinguishes the pods of deployments that share a namespace. */
  readonly deployment: string;
  readonly machineId: string;
  readonly workspaceId: string;
  readonly options: KubernetesOptions;
}

/** The name of the pod of a machine, and of its Secret. */
export const nameOf = (machineId: string): string => `chatd-${machineId}`;

const metadataOf = ({ deployment, machineId, workspaceId }: PodOrder) => ({
  name: nameOf(machineId),
  labels: {
    'app.kubernetes.io/name': 'chatd-workspace',
    'app.kubernetes.io/managed-by': 'chatd',
    [DEPLOYMENT_LABEL]: deployment,
    [MACHINE_LABEL]: machineId,
  },
  annotations: { 'chatd.dev/workspace': workspaceId },
});

export function secretOf(order: PodOrder, token: string): V1Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(order),
    immutable: true,
    type: 'Opaque',
    stringData: { [TOKEN_KEY]: token },
  };
}

/** A pod that runs `chatd machine` for one workspace. Its files last as long as the pod. */
export function podOf(order: PodOrder): V1Pod {
  const { options, machineId } = order;
  const pod = options.sandbox === 'pod';
  const volume = { name: 'data', emptyDir: {} };
  const spec: V1PodSpec = {
    restartPolicy: 'Always',
    // Running commands have 60 s to end.
    terminationGracePeriodSeconds: 75,
    // Agents can read what is in the pod.
    automountServiceAccountToken: options.service_account !== undefined,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: UID, runAsGroup: UID, fsGroup: UID },
    containers: [
      {
        name: 'machine',
        image: options.image,
        args: ['machine'],
        env: environmentOf(options, machineId),
        securityContext: pod ? SECURITY.pod : SECURITY.bubblewrap,
        volumeMounts: [{ name: volume.name, mountPath: DATA_DIR }],
        ...(options.resources && { resources: { ...options.resources } as V1ResourceRequirements }),
      },
    ],
    volumes: [volume],
    // The sandbox needs a full /proc, which Kubernetes allows in user namespaces only.
    ...(!pod && { hostUsers: false }),
    ...(options.service_account !== undefined && { serviceAccountName: options.service_account }),
    ...(options.node_selector && { nodeSelector: options.node_selector }),
    ...(options.image_pull_secret !== undefined && {
      imagePullSecrets: [{ name: options.image_pull_secret }],
    }),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(order), spec };
}

const SECURITY: Readonly<Record<KubernetesOptions['sandbox'], V1SecurityContext>> = {
  bubblewrap: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    procMount: 'Unmasked',
    seccompProfile: { type: 'Unconfined' },
  },
  pod: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

/** The own variables come last: of two with one name, Kubernetes uses the last. */
function environmentOf(
  { env = {}, url, sandbox }: KubernetesOptions,
  machineId: string,
): V1EnvVar[] {
  const own: Readonly<Record<string, string>> = {
    CHATD_URL: url,
    CHATD_DATA_DIR: DATA_DIR,
    ...(sandbox === 'pod' && { CHATD_ALLOW_UNSANDBOXED: '1' }),
  };
  return [
    ...Object.entries({ ...env, ...own }).map(([name, value]) => ({ name, value })),
    {
      name: 'CHATD_MACHINE_TOKEN',
      valueFrom: { secretKeyRef: { name: nameOf(machineId), key: TOKEN_KEY } },
    },
  ];
}
