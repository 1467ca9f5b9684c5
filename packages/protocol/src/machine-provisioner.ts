import { z } from 'zod';

const KubernetesName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/, 'is not a valid Kubernetes name');

const Quantity = z
  .string()
  .max(30)
  .regex(/^\d+(?:\.\d+)?(?:m|[KMGTPE]i?|k)?$/, 'is not a Kubernetes quantity');
const Quantities = z
  .record(z.string().max(250), Quantity)
  .refine((quantities) => Object.keys(quantities).length <= 20, 'must have at most 20 entries');

const KubernetesMachine = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .meta({
        description: 'URL at which pods reach this deployment.',
        examples: ['http://chatd.chatd'],
      }),
    image: z
      .string()
      .min(1)
      .max(500)
      .meta({
        description: 'Container image with chatd and the programs of the workspace.',
        examples: ['registry.example.com/chatd:1.0.0'],
      }),
    namespace: KubernetesName.optional().describe(
      'Namespace of the pods. Default: `chatd-workspaces`.',
    ),
    sandbox: z
      .enum(['bubblewrap', 'pod'])
      .optional()
      .describe(
        "`bubblewrap`: commands run in the sandbox of the host driver; requires pods with user namespaces (Kubernetes 1.33). `pod`: the pod is the sandbox; commands can read the machine's files and have the pod's network. Default: `bubblewrap`.",
      ),
    resources: z
      .strictObject({
        requests: Quantities.optional().describe('Resources that the scheduler reserves.'),
        limits: Quantities.optional().describe('Max resources of the pod.'),
      })
      .optional()
      .meta({
        description: 'Resources of the pod. Default: those of the namespace.',
        examples: [{ requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '4Gi' } }],
      }),
    service_account: KubernetesName.optional().describe(
      'Service account of the pod. Agents can use its token. Absent: the pod has no token.',
    ),
    node_selector: z
      .record(z.string().max(320), z.string().max(63))
      .optional()
      .describe('Labels of the nodes that can run the pod. Default: all nodes.'),
    image_pull_secret: KubernetesName.optional().describe(
      'Secret with the credentials of the image registry. Absent: none.',
    ),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(32_768))
      .optional()
      .describe('Environment variables of the machine, such as proxies. Absent: none.'),
  })
  .meta({ title: 'kubernetes', description: 'One pod per workspace.' });

export const MachineProvisioner = z
  .strictObject({
    kubernetes: KubernetesMachine.describe('The pod of each workspace.'),
  })
  .meta({
    id: 'MachineProvisioner',
    description:
      'Creates a machine for each workspace, and deletes it with the workspace. Visible to admins only.',
  });
export type MachineProvisioner = z.infer<typeof MachineProvisioner>;
